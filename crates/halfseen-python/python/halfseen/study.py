"""Collect data with a learner over weeks: asks, answers and the model."""

import errno
import getpass
import json
import numbers
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from halfseen import _core
from halfseen import _study_frames as frames
from halfseen._study_reports import StudyReports
from halfseen._study_results import Spending, StudyCurve, StudyStatus, Told, told_of
from halfseen._study_schema import reason_of
from halfseen._study_url import ServedStudy, is_url
from halfseen._warn import warn
from halfseen.errors import RefusedRows, RowProblem
from halfseen.warnings import DataWarning

if TYPE_CHECKING:
    from pandas import DataFrame as _DataFrame  # private: without the types of pandas it is none at run time

__all__ = ["RefusedRows", "RowProblem", "Spending", "Study", "StudyCurve", "StudyStatus", "Told"]

_MEMORY = ":memory:"  # path of a study in memory
_MOST = 10_000_000  # new subjects of one call


class Study(StudyReports):
    """Open a study: it says what to read of each subject, and learns from the answers.

    Answers come late, in part, corrected, or never. A study is one file, of which any number of programs and
    people may have a Study open; ``halfseen study`` works on the same file. When a method that writes has
    returned, what it says is on the disk, once; if it raises, nothing has changed. After Ctrl-C or a crash
    call it again: :meth:`next` returns the open asks, and :meth:`tell` stores nothing twice.

    ``halfseen study serve`` gives a study a URL, where a person with a token may do the same, as far as the
    person's role goes; only :meth:`backup` needs the file. Calls that change nothing, or nothing twice, are
    tried again while the server restarts. Use https: everybody who sees a token can use it.

    Values are written as text, as in CSV files: see :meth:`tell`. Frames are pandas's; those that are given
    may also be of polars or pyarrow.

    Parameters
    ----------
    path : str or path-like
        File of the study, or the URL of a server. :meth:`create` makes a new file, or a study in memory.
    who : str, optional
        Name that the audit has for you. By default the name of the user, or 'unknown'. A server takes it from
        the token.
    token : str, optional
        Token for a server; by default that of the environment, in ``HALFSEEN_TOKEN``.

    Attributes
    ----------
    path : str
        File of the study, or the URL of its server; ':memory:' for one in memory.
    who : str
        Name that the audit has for you.
    learner : str
        The library's name of the learner.
    params : dict
        Its parameters, under the library's names.
    attributes : tuple of str
        Names of the attributes.
    target : str
        Name of the target.
    schema : DataFrame
        Attributes and target, as :meth:`create` takes them.

    Raises
    ------
    OSError
        If the file cannot be read or written: FileNotFoundError without a file, TimeoutError if another
        process writes for more than a minute, else StudyFileError. Every method may raise it. With a
        server: ConnectionError if it cannot be reached (the message says whether the call may be stored);
        TimeoutError if it has no time; PermissionError for a token that it does not know or a role that may
        not do this.
    StudyFileError
        If it is damaged, not a study (also a ValueError), or of another version; if the server at a URL is
        not one of halfseen, or one of another version.

    See Also
    --------
    Learner : Asks and is told in memory, by arrays.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from halfseen import Study
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trial.hs"
    >>> schema = pd.DataFrame({"attribute": ["age", "sodium", "potassium"], "price": [0, 12, 9]})
    >>> with Study.create(path, schema, "outcome", budget=2, who="lab") as study:
    ...     asks = study.next(["p1", "p2"])

    Each subject has a row. Answers come in any part and order; an empty cell is not told yet:

    >>> first = asks["ask_list"][0].split()
    >>> len(first)
    2
    >>> answers = pd.DataFrame({"subject": ["p1"], first[0]: [140.5], "outcome": ["NA: moved away"]})
    >>> with Study(path, who="lab") as study:
    ...     told = study.tell(answers)
    ...     pending = study.pending()
    >>> told.stored
    2
    >>> list(pending["missing"][:1]) == first[1:]
    True
    """

    path: str
    learner: str
    params: dict[str, Any]
    attributes: tuple[str, ...]
    target: str

    def __init__(
        self, path: str | os.PathLike[str], *, who: str | None = None, token: str | None = None
    ) -> None:
        path = os.fsdecode(path)
        if is_url(path):
            if who is not None:
                raise ValueError("a server takes the name for the audit from the token; leave who out")
            served = ServedStudy(path, token)
            self._take(served, served.url, served.who)
            return
        if token is not None:
            raise ValueError("a token is for a server, and a file needs none; leave it out")
        if path == _MEMORY:
            raise ValueError("a study in memory is gone when it is closed; Study.create makes a new one")
        os.stat(path)  # FileNotFoundError
        self._take(_core.Study.open(path), path, _user(who))

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        schema: Any,
        target: str,
        *,
        classes: Sequence[Any] | None = None,
        learner: str = "fiml",
        budget: int | None = None,
        total_budget: int | None = None,
        max_cost: float | None = None,
        total_cost: float | None = None,
        unasked: Literal["accept", "refuse", "learn"] = "accept",
        strict: bool = False,
        who: str | None = None,
        **params: Any,
    ) -> Self:
        """Create a study in a new file, or in memory.

        A study in memory does all that one in a file does, and gives the same asks and the same model, to the
        bit. **It is gone when it is closed or the program ends**; :meth:`backup` copies it to a file, which
        ``Study(path)`` opens.

        Parameters
        ----------
        path : str or path-like
            The file, which must not exist, or ``":memory:"`` for a study in memory.
        schema : frame, str or path-like
            A row for each attribute, or the path of such a CSV file. Only the column ``attribute`` is needed;
            the others are ``kind`` (number, date, category), ``unit``, ``low``, ``high``, ``panel``,
            ``price``, ``known`` and ``choices`` (``a|b|c``, or lists). :meth:`draft` makes one.
        target : str
            Name of the target; its row may be missing, and then it is a number.
        classes : sequence of two labels, optional
            Classes of the target; by default its choices in the schema.
        learner : str, default 'fiml'
            The library's name of a learner that asks.
        budget : int, optional
            Reads per subject.
        total_budget : int, optional
            Reads in all.
        max_cost, total_cost : float, optional
            Money per subject, and in all.
        unasked : {'accept', 'refuse', 'learn'}, default 'accept'
            Treatment of values that nobody asked for: kept and flagged, refused, or also learned from.
            'learn' needs ``fiml``, and is right only if they are missing at random.
        strict : bool, default False
            True refuses values outside ``low`` and ``high``; otherwise they are taken and flagged.
        who : str, optional
            As in the constructor.
        **params : object
            Further parameters of the learner, by the library's names or those of its estimator.

        Returns
        -------
        study : Study
            The new study, open.

        Raises
        ------
        FileExistsError
            If the file exists.
        ValueError
            If the schema or a parameter is wrong; the message names the line or the parameter. Line 1 is the
            header, also of a frame.
        """
        from halfseen._parameters import RENAMED, text_of

        path, written = os.fsdecode(path), {there: here for here, there in RENAMED.items()}
        if is_url(path):
            raise ValueError(
                "create makes a file; `halfseen study serve` gives it a URL, and Study(url) opens that"
            )
        if path != _MEMORY and os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "the file exists; a new study needs a new name", path)
        own = {
            "budget": budget,
            "total_budget": total_budget,
            "max_cost": max_cost,
            "total_cost": total_cost,
        }
        settings = []
        for name, value in [*((of, v) for of, v in own.items() if v is not None), *params.items()]:
            text = text_of(value)
            if text is None:
                raise TypeError(
                    f"{name} must be a number, a text, a bool or a list of numbers; got {value!r:.100}"
                )
            settings.append((written.get(name, name), text))
        labels = None if classes is None else [frames.text_of(label) for label in classes]
        text, of = frames.schema_text(schema), _user(who)
        file = None if path == _MEMORY else path
        made = _core.Study.create(file, text, target, labels, learner, settings, unasked, bool(strict), of)
        study = cls.__new__(cls)
        study._take(made, path, of)
        return study

    @staticmethod
    def draft(frame: Any, target: str) -> "_DataFrame":
        """Return a draft of a schema, from a table that looks like the data you expect.

        Texts are categories, or dates where all look like dates; numbers have the range that the table shows.
        Columns of texts that look like names or record numbers are left out, with a warning. Correct kinds,
        ranges, panels and prices by hand.

        Parameters
        ----------
        frame : frame
            The table.
        target : str
            Name of its column that is the target.

        Returns
        -------
        schema : DataFrame
            As :meth:`create` takes it.
        """
        schema, left_out = frames.draft_of(frame, target)
        for name, categories in left_out:
            of = f"a text of {categories} categories is a name or a record number, not an attribute"
            warn(f"'{name}' is left out: {of}", DataWarning)
        return schema

    def next(
        self, subjects: Iterable[str] | None = None, count: int | None = None, wave: str | None = None
    ) -> "_DataFrame":
        """Ask: return what to read of each subject.

        A subject that has an open ask keeps it, also if another person asks.

        Parameters
        ----------
        subjects : iterable of str, optional
            Names of subjects, or a frame with the column ``subject``. Integers are names, too. The frame may
            have columns of attributes that are ``known`` of every subject: their values are stored with the
            asks, as :meth:`tell` would. Columns that are not attributes are left out.
        count : int, optional
            Number of new subjects, which are named s1, s2, ..., instead. By default 1.
        wave : str, optional
            Name of a wave. Its first ask is drawn from all answers so far; otherwise the learner renews its
            design when a tenth more asks are complete.

        Returns
        -------
        asks : DataFrame
            A row for each subject with an open ask: ``subject``, the number ``ask``, and for each attribute
            ``ask_<attribute>``, 1 if it is still to be read. ``ask_list`` holds the names of these, separated
            by spaces.

        Raises
        ------
        BudgetSpent
            If the reads or the money that are left do not suffice for all; nothing is asked then.
        RefusedRows
            If known values are refused; nothing is asked or stored then.
        ValueError
            If a subject was withdrawn, a name is empty or too long, or a column is an attribute that is not
            known of every subject.
        """
        pandas = frames.pandas()
        if subjects is not None and count is not None:
            raise ValueError("next takes subjects or a count of new ones, not both")
        number = 1 if count is None else count
        if not isinstance(number, numbers.Integral) or isinstance(number, bool) or not 1 <= number <= _MOST:
            raise ValueError(f"count must be a whole number from 1 to {_MOST:,}; got {count!r:.100}")
        rows: list[frames.Row] | None = None
        labels: list[Any] = []
        if subjects is not None:
            others = {*self.attributes, self.target} - self._known
            rows, labels, wrong = frames.subjects_of(subjects, self._known, others)
            if wrong:
                self._refuse([problem for _, problem in wrong], len(labels))
        asks = json.loads(self._study.next(rows, int(number), wave, self.who))
        if isinstance(asks, dict):
            self._refuse(told_of(json.dumps(asks), labels, []).refused, len(labels))
        asks = [ask for ask in asks if ask["state"] == "open"]
        sets = [set(ask["attributes"]) for ask in asks]
        if not set().union(*sets) <= {*self.attributes}:
            self._read_schema()  # others have added some
        flags = {f"ask_{name}": [int(name in of) for of in sets] for name in self.attributes}
        return pandas.DataFrame(
            {
                "subject": [ask["subject"] for ask in asks],
                "ask": [ask["number"] for ask in asks],
                **flags,
                "ask_list": [" ".join(ask["attributes"]) for ask in asks],
            }
        )

    def tell(
        self, frame: Any, source: str | None = None, check: bool = False, keep_going: bool = False
    ) -> Told:
        """Store answers, once each: any part, in any order, the same frame twice.

        A value that is stored already changes nothing; another value for it is refused, and :meth:`amend`
        corrects it.

        Parameters
        ----------
        frame : frame
            A row for each subject: the columns ``subject``, optionally ``ask`` (refused if it is not the
            subject's last one), attributes and the target. Columns ``ask_...`` of :meth:`next` are left out.
            None, NaN and empty texts are not told yet. The text 'NA', or 'NA: reason', is not available; note
            that ``pandas.read_csv`` reads it as NaN unless ``keep_default_na=False``. Numbers, dates,
            datetimes at midnight and texts are as in CSV; a bool is the choice 'true' or 'false'.
        source : str, optional
            Where the values come from, such as a file or a laboratory.
        check : bool, default False
            True stores nothing and returns what would be stored and refused.
        keep_going : bool, default False
            True stores the rows that are not refused; otherwise a frame is stored whole or not at all.

        Returns
        -------
        told : Told
            Counts, and rows that were refused or are to be looked at, by their labels in the index.

        Raises
        ------
        RefusedRows
            If rows are refused and neither ``check`` nor ``keep_going``; nothing is stored. Its attribute
            ``refused`` lists all.
        ValueError
            If a column is not an attribute, or ``subject`` is missing.
        """
        try:
            columns, rows, wrong = frames.answers_of(frame, {*self.attributes, self.target})
        except ValueError:
            self._read_schema()  # others may have added a column that is unknown here
            columns, rows, wrong = frames.answers_of(frame, {*self.attributes, self.target})
        # With rows that cannot be told nothing is stored, but all problems are found.
        dry = bool(check) or (bool(wrong) and not keep_going)
        text = self._study.tell(columns, rows, source, dry, bool(keep_going), self.who)
        told = told_of(text, frames.labels_of(frame), wrong)
        if told.refused and not check and not keep_going:
            self._refuse(told.refused, told.rows)
        return told

    def amend(self, subject: str, attribute: str, value: Any, *, reason: str) -> None:
        """Correct a value that is stored; the old one stays as an earlier revision.

        Parameters
        ----------
        subject : str
            The subject.
        attribute : str
            An attribute, or the target.
        value : object
            The new value, as in :meth:`tell`.
        reason : str
            Reason, for the audit.

        Raises
        ------
        ValueError
            If no value is stored, the new one is the same or is refused, or the reason is empty.
        """
        try:
            text = frames.text_of(value)
        except ValueError as error:
            raise ValueError(f"subject '{subject}': '{attribute}' {error}") from None
        if not text.strip():
            raise ValueError("amend needs a value; write 'NA' for a value that is not available")
        self._study.amend(frames.name_of(subject), attribute, text, reason_of(reason), self.who)

    def release(self, subject: str, *, reason: str) -> None:
        """Give up the open ask of a subject, which may then be asked anew.

        The reads that were not made are free for others, and late answers are still taken.

        Parameters
        ----------
        subject : str
            The subject.
        reason : str
            Reason, for the audit.

        Raises
        ------
        ValueError
            If it has no open ask, or the reason is empty.
        """
        self._study.release(frames.name_of(subject), reason_of(reason), self.who)

    def withdraw(self, subject: str, *, reason: str, erase: bool = False) -> None:
        """Take a subject out of the model.

        Parameters
        ----------
        subject : str
            The subject.
        reason : str
            Reason, for the audit.
        erase : bool, default False
            True also deletes its values and overwrites them in the file. Its name stays in the audit.
            Backups, exports and models made before are not changed: ``export("erased")`` lists what to erase
            again after a restore.

        Raises
        ------
        ValueError
            If it is unknown or was withdrawn before (then it can still be erased), or the reason is empty.
        """
        self._study.withdraw(frames.name_of(subject), bool(erase), reason_of(reason), self.who)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the study to a new file, while others may write.

        Parameters
        ----------
        path : str or path-like
            The new file, which must not exist.

        Raises
        ------
        ValueError
            If the study is at a URL: ``halfseen study backup`` makes a copy where its server runs.
        """
        path = os.fsdecode(path)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "the file exists; a backup needs a new name", path)
        self._study.backup(path)

    def close(self) -> None:
        """Close the file, or let go of a study in memory; any later call but this one raises a ValueError."""
        self._study.close()

    def __enter__(self) -> Self:
        """Return the study."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the study."""
        self.close()

    def __repr__(self) -> str:
        """Show the file or URL, the learner and the target."""
        return f"Study({self.path!r}, learner={self.learner!r}, target={self.target!r})"

    @staticmethod
    def _refuse(refused, rows):
        """Raise RefusedRows with the refused rows and the number of all rows."""
        shown = "; ".join(str(problem) for problem in refused[:3])
        more = "; ..." if len(refused) > 3 else ""
        count = f"{len(refused)} of {rows} rows"
        raise RefusedRows(f"{count} were refused and nothing was stored: {shown}{more}", refused)

    def _take(self, study, path, who):
        """Store an open study."""
        self._study, self.path, self.who = study, path, who
        setup = self._read_schema()
        self.learner, self.params = setup["learner"], setup["params"]


def _user(who):
    """Return the name for the audit."""
    if who is not None:
        if not isinstance(who, str):
            raise TypeError(f"who must be a text; got {who!r:.100}")
        return who
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return "unknown"
