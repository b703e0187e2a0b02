"""Draw rows of a table that does not fit into memory, at random and in one pass."""

from typing import Any

import narwhals as nw
import numpy as np

from halfseen import _core
from halfseen.partial import batches_of

__all__ = ["draw_rows"]


def draw_rows(rows: Any, n: int, *, seed: int = 0) -> Any:
    """Draw rows at random, without replacement, while at most twice as many are in memory.

    Every set of ``n`` rows is equally likely. The same seed draws the same rows as the program's ``fit
    --rows n --seed seed`` does, if every row has a target.

    Parameters
    ----------
    rows : frame, Arrow stream, path or iterable of frames
        As for :meth:`halfseen.Partial.absorb`. Everything but a frame is taken batch by batch.
    n : int
        Number of rows, at least 1. If there are no more, all are drawn.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    drawn : frame
        The rows in their order, as a frame of the kind of the batches; of Parquet files and Arrow streams a
        PyArrow table.

    Raises
    ------
    ValueError
        If there is no row, or n is below 1.

    See Also
    --------
    fit_stream : Learn from all rows, for learners that need only sums.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen import draw_rows
    >>> days = (pd.DataFrame({"day": [day] * 100, "hour": range(100)}) for day in range(365))
    >>> some = draw_rows(days, 1000)
    >>> some.shape, some["day"].nunique() > 300
    ((1000, 2), True)
    """
    if n < 1:
        raise ValueError(f"n = {n} must be at least 1")
    kept, marks, seen, largest = [], [], 0, np.uint64(2**64 - 1)
    for batch in map(nw.from_native, batches_of(rows)):
        own = _core.marks(seed, seen, len(batch))
        seen += len(batch)
        keep = own <= largest
        if keep.any():
            kept.append(batch.filter(keep.tolist()))
            marks.append(own[keep])
        if sum(map(len, marks)) > 2 * n:
            kept, marks, largest = _thinned(kept, marks, n)
    if not kept:
        raise ValueError("there is no row to draw from")
    kept, _, _ = _thinned(kept, marks, n)
    return kept[0].to_native()


def _thinned(kept, marks, n):
    """Return the rows of the n smallest marks as one frame, with their marks and the largest of these."""
    every = np.concatenate(marks)
    largest = np.partition(every, n - 1)[n - 1] if len(every) > n else every.max()
    frames = [frame.filter((own <= largest).tolist()) for frame, own in zip(kept, marks, strict=True)]
    return [nw.concat(frames)], [every[every <= largest]], largest
