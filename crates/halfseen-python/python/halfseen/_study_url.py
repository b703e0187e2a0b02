"""Speak to a study that a server keeps: the calls of ``_core.Study``, as JSON over HTTP."""

import http.client
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, NoReturn

from halfseen import _core
from halfseen.errors import BudgetSpent, StudyFileError

#: Version of the interface that this package speaks.
API = 1
#: Variable of the environment that holds a token.
TOKEN = "HALFSEEN_TOKEN"
#: Tries of a call that may be repeated, and seconds before the second; later ones wait twice as long each.
_TRIES, _PAUSE = 4, 0.2
#: Seconds to wait for an answer: the server itself waits for a minute for others who write.
_QUICK = 120.0
#: Seconds to wait for fits and exports: the server ends every connection after ten minutes.
_SLOW = 660.0
#: Answers of a server, or of a proxy before it, that pass.
_PASSING = (502, 503, 504)
#: Beginnings before which a quote in CSV is no part of the text; as in files.rs of halfseen-study.
_FORMULA = tuple("=+-@\t\r'")
#: A cell of CSV, in quotes or bare, and what ends it.
_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^,"\r\n]*))(,|\r?\n|\Z)')


def is_url(path: object) -> bool:
    """Return True for the URL of a server."""
    return isinstance(path, str) and path.lower().startswith(("http://", "https://"))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follow no redirect, which would send the token to another place."""

    def redirect_request(self, *_: Any) -> None:
        return None


class ServedStudy:
    """A study of a server, with the methods of ``_core.Study``; ``who`` is the person of the token.

    Parameters
    ----------
    url : str
        URL of the server.
    token : str or None
        Token of a person; None: that of the environment.

    Raises
    ------
    ValueError
        If the URL has a name, a query or a fragment, or the token has a character that no token has.
    PermissionError
        If there is no token, or the server does not know it.
    ConnectionError
        If the server cannot be reached.
    StudyFileError
        If the server is not one of halfseen, or one of another version.
    """

    def __init__(self, url: str, token: str | None) -> None:
        self.url = _checked(url)
        self._token = _token(token)
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._is_closed, self._is_new = False, True
        about = self._json("study", is_first=True)
        if not isinstance(about, dict) or "api" not in about:
            self._refuse_stranger("its answer does not describe a study")
        if about["api"] != API:
            raise StudyFileError(
                f"{self.url}: the server speaks version {about['api']} of the interface (halfseen"
                f" {about.get('version', 'of another version')}), and this package speaks version {API};"
                " install the same version of halfseen here and there"
            )
        self._about = about
        self.who: str = about["person"]["name"]

    def close(self) -> None:
        self._is_closed = True

    def setup(self) -> str:
        about = self._about if self._is_new else self._json("study")
        self._about, self._is_new = about, False
        schema = {"attributes": about["attributes"], "target": about["target"]}
        return json.dumps({"schema": schema, "learner": about["learner"], "params": about["params"]})

    def schema(self) -> list[list[str]]:
        return _rows_of_csv(self._text("schema"))

    def next(
        self,
        subjects: list[tuple[int, str, int | None, list[tuple[str, str]]]] | None,
        count: int,
        wave: str | None,
        who: str,
    ) -> str:
        rows = subjects or []
        asked: dict[str, Any] = {"count": count}
        if subjects is not None:
            asked = {"subjects": [name for _, name, _, _ in rows]}
        if any(cells for _, _, _, cells in rows):
            asked["known"] = [dict(cells) for _, _, _, cells in rows]
        try:
            # Named subjects keep their asks; a repetition of a count would ask others.
            return self._text("next", asked | {"wave": wave}, may_repeat=subjects is not None)
        except _Refused as error:
            return json.dumps(_refused_of(error, rows))

    def tell(
        self,
        columns: list[str],
        rows: list[tuple[int, str, int | None, list[tuple[str, str]]]],
        source: str | None,
        check: bool,
        keep_going: bool,
        who: str,
    ) -> str:
        known = {of["name"] for of in [*self._about["attributes"], self._about["target"]]}
        for name in columns:
            if name not in known:
                there = ", ".join(sorted(known)[:20])
                raise ValueError(f"there is no attribute '{name:.60}'; there are: {there}")
        answers = [{"subject": of, "ask": ask, "values": dict(cells)} for _, of, ask, cells in rows]
        sent = {"answers": answers, "source": source, "check": check, "keep_going": keep_going}
        try:
            told = json.loads(self._text("tell", sent, may_repeat=True))
        except _Refused as error:
            return json.dumps(_refused_of(error, rows))
        return json.dumps(_with_positions(told, rows))

    def add(self, schema: str, reason: str, who: str) -> list[str]:
        added: list[str] = json.loads(self._text("schema/add", {"schema": schema, "reason": reason}))["added"]
        return added

    def retire(self, attribute: str, reason: str, who: str) -> None:
        self._text("schema/retire", {"attribute": attribute, "reason": reason})

    def amend(self, subject: str, attribute: str, value: str, reason: str, who: str) -> None:
        self._text("amend", {"subject": subject, "attribute": attribute, "value": value, "reason": reason})

    def release(self, subject: str, reason: str, who: str) -> None:
        self._text("release", {"subject": subject, "reason": reason})

    def withdraw(self, subject: str, erase: bool, reason: str, who: str) -> None:
        self._text("withdraw", {"subject": subject, "erase": erase, "reason": reason}, patience=_SLOW)

    def status(self, who: str) -> str:
        return self._text("status", patience=_SLOW)

    def pending(self, older_than_days: float | None, who: str) -> str:
        query = {} if older_than_days is None else {"older_than_days": repr(older_than_days)}
        return self._text(f"pending?{urllib.parse.urlencode(query)}", patience=_SLOW)

    def curve(self) -> str:
        return self._text("curve", patience=_SLOW)

    def model(self) -> _core.Model:
        return _core.Model.from_json(self._text("model", patience=_SLOW))

    def export(self, what: str) -> list[list[str]]:
        if what not in ("reads", "wide", "audit", "erased"):
            raise ValueError(f"what = '{what:.60}' is not allowed: it must be reads, wide, audit or erased")
        return _rows_of_csv(self._text(f"export/{what}", patience=_SLOW))

    def check(self) -> list[str]:
        problems: list[str] = self._json("check", patience=_SLOW)["problems"]
        return problems

    def backup(self, to: str) -> None:
        raise ValueError(
            "the study of a server cannot be backed up from here; `halfseen study backup` does it where the"
            " server runs, while it runs"
        )

    def _json(self, path: str, **how: Any) -> Any:
        text = self._text(path, **how)
        try:
            return json.loads(text)
        except ValueError:
            self._refuse_stranger("its answer is not JSON")

    def _text(
        self,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        may_repeat: bool | None = None,
        patience: float = _QUICK,
        is_first: bool = False,
    ) -> str:
        """Return the answer to a call; one that changes nothing, or nothing twice, is tried again."""
        if self._is_closed:
            raise ValueError("the study is closed; halfseen.Study(url) opens it")
        may_repeat = body is None if may_repeat is None else may_repeat
        request = urllib.request.Request(
            f"{self.url}/api/v{API}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "User-Agent": "halfseen (Python)"},
        )
        if body is not None:
            request.add_header("Content-Type", "application/json")
        for left in reversed(range(_TRIES)):
            try:
                with self._opener.open(request, timeout=patience) as answer:
                    return str(answer.read().decode())
            except urllib.error.HTTPError as error:
                # An HTTPError is an answer, too: its body says what is wrong.
                with error:
                    if not (may_repeat and left and error.code in _PASSING):
                        self._raise(error, is_first)
            except UnicodeDecodeError:
                self._refuse_stranger("its answer is not text")
            except (OSError, http.client.HTTPException) as error:
                why = error.reason if isinstance(error, urllib.error.URLError) else error
                # Nothing was sent to a port that nobody listens to.
                if not (left and (may_repeat or isinstance(why, ConnectionRefusedError))):
                    self._raise_lost(why, may_repeat, patience)
            time.sleep(_PAUSE * 2 ** (_TRIES - 1 - left))
        raise AssertionError("the last try returns or raises")

    def _raise(self, error: urllib.error.HTTPError, is_first: bool) -> NoReturn:
        """Raise what a file's study raises for the same reason."""
        problem = _problem(error)
        if problem is None or (is_first and error.code == 404):
            if error.code in _PASSING:
                raise TimeoutError(
                    f"{self.url}: the server does not answer (HTTP {error.code}); try again"
                ) from None
            self._refuse_stranger(f"it answers HTTP {error.code}")
        text = str(problem["error"])
        if error.code == 401:
            raise PermissionError(f"{self.url}: {text}; give it as token=..., or in {TOKEN}") from None
        if error.code in (403, 429):
            raise PermissionError(f"{self.url}: {text}") from None
        if error.code in (408, 503):
            raise TimeoutError(text) from None
        if error.code >= 500:
            raise StudyFileError(f"{self.url}: {text}") from None
        if problem.get("refused"):
            raise _Refused(text, problem["refused"]) from None
        if error.code == 409 and re.match(r"\w+ (is spent: |suffices for )", text):
            raise BudgetSpent(text) from None
        raise ValueError(text) from None

    def _raise_lost(self, why: object, may_repeat: bool, patience: float) -> NoReturn:
        """Raise what says that no answer came."""
        if isinstance(why, TimeoutError):
            raise TimeoutError(
                f"{self.url}: no answer came within {patience:.0f} seconds; try again"
            ) from None
        if isinstance(why, http.client.HTTPException) and not isinstance(
            why, OSError | http.client.IncompleteRead
        ):
            self._refuse_stranger("it does not speak HTTP")
        text = f"{self.url}: the server cannot be reached, or ended the connection ({why})"
        if may_repeat:
            raise ConnectionError(f"{text}; see that it runs there, and try again") from None
        raise ConnectionError(
            f"{text}; the call may be stored or not: look at the audit or at pending() before making it again"
        ) from None

    def _refuse_stranger(self, why: str) -> NoReturn:
        raise StudyFileError(
            f"{self.url}: what answers there is no halfseen server of version {API} of the interface: {why};"
            " give the URL that `halfseen study serve` prints, without a page"
        ) from None


class _Refused(ValueError):
    """Rows were refused, and nothing was stored."""

    def __init__(self, text: str, rows: list[dict[str, Any]]) -> None:
        super().__init__(text)
        self.rows = rows


def _refused_of(error: _Refused, rows: list[tuple[int, str, int | None, list[tuple[str, str]]]]) -> Any:
    """Return the result of telling rows that were all refused."""
    told: dict[str, Any] = dict.fromkeys(("stored", "repeated", "unasked", "outside", "completed"), 0)
    return _with_positions(told | {"lines": len(rows), "refused": error.rows, "flagged": []}, rows)


def _with_positions(told: Any, rows: list[tuple[int, str, int | None, list[tuple[str, str]]]]) -> Any:
    """Name rows by their positions; the server counts those that it was sent, from 1."""
    for of in [*told["refused"], *told["flagged"]]:
        of["line"] = rows[of["line"] - 1][0]
    return told


def _problem(error: urllib.error.HTTPError) -> dict[str, Any] | None:
    """Return the server's own words on a failure; None if they are not of a halfseen server."""
    try:
        found = json.loads(error.read())
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return found if isinstance(found, dict) and "error" in found else None


def _checked(url: str) -> str:
    """Return the URL without a slash at its end."""
    parts = urllib.parse.urlsplit(url)
    if parts.username is not None or parts.password is not None:
        raise ValueError("the URL of a server has no name and no password; give token=... instead")
    if not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{url:.200} is not the URL of a server; write one such as http://127.0.0.1:8710")
    _ = parts.port  # a ValueError if it is no number
    return url.rstrip("/")


def _token(token: str | None) -> str:
    """Return the token, or that of the environment."""
    if token is not None and not isinstance(token, str):
        raise TypeError(f"token must be a text; got a {type(token).__name__}")
    found = (os.environ.get(TOKEN, "") if token is None else token).strip()
    if not found:
        raise PermissionError(f"a server needs a token: give it as token=..., or in {TOKEN}")
    if not re.fullmatch("[!-~]+", found):  # its text is in no message
        raise ValueError("the token has characters that no token has; it begins with hs_")
    return found


def _rows_of_csv(text: str) -> list[list[str]]:
    """Return the rows of CSV, without the quotes that keep spreadsheets from taking texts for formulas.

    The reader of Python's library takes no longer cells than a limit for the whole process says.
    """
    rows: list[list[str]] = []
    row: list[str] = []
    for found in _CELL.finditer(text):
        quoted, bare, end = found.groups()
        row.append(_plain(bare if quoted is None else quoted.replace('""', '"')))
        if end != ",":
            rows.append(row)
            row = []
            if found.end() == len(text):
                break
    return rows


def _plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
