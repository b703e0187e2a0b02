"""Plan a collection of data before any is read: guaranteed errors, or the reads that guarantee one."""

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halfseen import _core
from halfseen._parameters import refusal
from halfseen._refused import OutOfRange

__all__ = ["plan"]


def plan(
    dims: int,
    *,
    budget: int,
    radius: float,
    examples: int | None = None,
    error: float | None = None,
    norm: float = 1.0,
    moments: ArrayLike | None = None,
) -> list[dict[str, Any]]:
    """Plan a collection of data: the error that theorems guarantee, or the reads that guarantee one.

    Theorems hold for attributes in units in which their absolute values are at most 1. They compare a learner
    with the best linear model whose weights have at most the norm ``radius``. Give ``examples`` or ``error``.
    The figures are those of the program's ``halfseen plan``.

    Parameters
    ----------
    dims : int
        Number of attributes that can be read.
    budget : int
        Reads of each example, all counted.
    radius : float
        Largest norm of the linear model: the sum of the absolute weights (``aer``, ``aelr``, ``ddaelr``), or
        the root of the sum of their squares (``aerr``, ``ddaerr``).
    examples : int or None, default=None
        Number of examples that will be available.
    error : float or None, default=None
        Excess error to reach, instead of ``examples``: mean squared error above that of the best linear
        model.
    norm : float, default=1.0
        For ``aerr`` and ``ddaerr``: bound on the Euclidean norm of an example.
    moments : array-like of shape (dims,) or None, default=None
        Mean of the square of each attribute, in the same units; None: the worst case.

    Returns
    -------
    rows : list of dict
        One for each theorem: the ``learner``, and the ``examples`` and ``reads`` in all. ``excess`` bounds
        its mean squared error above that of the best linear model (None: not known), with the step in
        ``set``. ``says_something`` is False where predicting 0 is within the bound, and ``contradiction``
        says why a theorem cannot hold for these moments.

    Raises
    ------
    ValueError
        If a number is out of its range, or it is not clear what is asked for.

    Examples
    --------
    >>> from halfseen import plan
    >>> rows = plan(100, budget=4, radius=1.0, error=0.5)
    >>> next(row["examples"] for row in rows if row["learner"] == "aerr")
    2134
    """
    if (examples is None) == (error is None):
        raise ValueError(
            "give examples, the number that will be available, or error, the excess to reach: one of them"
        )
    if moments is not None:
        moments = np.ascontiguousarray(moments, dtype=np.float64).ravel().tolist()
        if len(moments) != dims:
            raise ValueError(f"moments holds {len(moments)} numbers for {dims} attributes: give one for each")
    given: dict[str, Any] = {
        "dims": dims, "budget": budget, "radius": radius, "norm": norm, "moments": moments, "error": error,
        "examples": examples,
    }  # fmt: skip
    try:
        return json.loads(_core.plan(**given))
    except OutOfRange as refused:
        if refused.name not in given:
            raise
        raise refusal("plan", refused.name, refused.allowed, given[refused.name]) from None
    except OverflowError:
        raise ValueError("dims, budget and examples must be whole numbers of at least 0") from None
