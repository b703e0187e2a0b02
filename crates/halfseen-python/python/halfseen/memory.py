"""Limit the memory that the process may take."""

import operator

from halfseen import _core


def set_memory_limit(limit: int | None) -> None:
    """Limit the memory that the process may take.

    A fit that needs more beside its table raises :class:`halfseen.TooMuchMemory` before it takes any. The
    limit holds for the whole process, and for each of its fits.

    Parameters
    ----------
    limit : int or None
        Number of bytes, at least 1; None restores the default, three quarters of the memory of the
        system, of its control group or of the process's own limit (``ulimit -v``).

    See Also
    --------
    get_memory_limit : Return the limit.

    Examples
    --------
    >>> import halfseen
    >>> halfseen.set_memory_limit(4 * 10**9)
    >>> halfseen.get_memory_limit()
    4000000000
    >>> halfseen.set_memory_limit(None)
    """
    bytes = None if limit is None else operator.index(limit)
    if bytes is not None and not 1 <= bytes < 2**64:
        raise ValueError(f"limit = {bytes} is not allowed: it must be a number of bytes from 1 on, or None")
    _core.set_memory_limit(bytes)


def get_memory_limit() -> int:
    """Return the bytes that the process may take.

    Returns
    -------
    int
        The limit of :func:`set_memory_limit`, or the default.

    See Also
    --------
    set_memory_limit : Change the limit.

    Examples
    --------
    >>> import halfseen
    >>> halfseen.get_memory_limit() > 2**20
    True
    """
    return _core.get_memory_limit()
