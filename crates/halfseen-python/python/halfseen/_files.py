"""Replace files atomically, and remove what killed writers left behind."""

import contextlib
import os
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where leftovers stay
    fcntl = None  # type: ignore[assignment]

#: End of the names of temporary files.
_ENDING = ".halfseen-tmp"


def replace(path: Path, text: str) -> None:
    """Write a text to a temporary file beside a path, and rename it.

    The temporary file is locked until it is renamed. A lock ends with its process, so that files without one
    are those of killed writers; they are removed first.
    """
    _remove_left(path)
    handle, beside = _locked_beside(path)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(beside, 0o666 & ~mask)
            if os.name == "posix":
                os.replace(beside, path)
        if os.name != "posix":  # an open file cannot be renamed
            os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _prefix(path):
    return f".{path.name}."


def _locked_beside(path):
    """Create a temporary file with a lock, and return its descriptor and path."""
    while True:
        handle, beside = tempfile.mkstemp(prefix=_prefix(path), suffix=_ENDING, dir=path.parent)
        try:
            if fcntl is None:
                return handle, beside
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(handle), os.stat(beside)):
                return handle, beside
        except FileNotFoundError:
            pass
        except OSError:  # without locks nobody takes it for a leftover
            return handle, beside
        # Another writer took it for a leftover before it was locked.
        os.close(handle)


def _remove_left(path):
    """Remove the temporary files of killed writers of a path."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        for name in os.listdir(path.parent):
            if name.startswith(_prefix(path)) and name.endswith(_ENDING):
                with contextlib.suppress(OSError):
                    _remove_unlocked(path.parent / name)


def _remove_unlocked(beside):
    """Remove a file unless a process holds its lock, or there are no locks."""
    handle = os.open(beside, os.O_WRONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(beside)
    finally:
        os.close(handle)
