"""Fit and predict on Dask, on as many workers as there are: rows stay where they are, and sums travel.

Each partition is absorbed by a task of its own (:class:`halfseen.Partial`), and the sums are merged where the
client is. A task that is lost is run again by Dask; the model has the same bits for any number of workers and
any order in which they finish. Needs ``dask`` and ``distributed``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from halfseen import _tables
from halfseen.model import Model
from halfseen.partial import Partial, batches_of, unpickled

__all__ = ["evaluate", "fit", "predict"]


def fit(partial: Partial, rows: Any, client: Any = None) -> Model:
    """Fit the learner of a partial to all partitions.

    Parameters
    ----------
    partial : Partial
        The fit, with the parts that it has; it is left as it is. A learner of two passes goes through the
        partitions twice.
    rows : Dask frame, or sequence of delayed frames or of paths of Parquet files
        The rows, with the target. Each partition, frame or file is a part.
    client : distributed.Client, optional
        The client of the cluster. None: the present one, or else Dask's own threads.

    Returns
    -------
    model : Model
        The model of all rows.

    Raises
    ------
    ValueError
        If the learner needs two passes and the partial has parts. If a partition cannot be absorbed;
        the message names it by its number, as in 'partition 00003'.
    """
    parts = _parts(rows)
    if partial._sums.next_pass and partial.parts:
        raise ValueError(
            f"{partial.parts[0]!r} was summed before, but the learner goes through all rows twice:"
            " pass a Partial without parts, or one with units"
        )
    whole = _merged(partial._sums, parts, client)
    if whole.next_pass:
        whole = _merged(whole.emptied().in_units(whole), parts, client)
    return Model(whole.finish())


def predict(model: Model, rows: Any, client: Any = None) -> np.ndarray[Any, Any]:
    """Predict all rows, where they are.

    Parameters
    ----------
    model : Model
        A fitted model.
    rows : Dask frame, or sequence of delayed frames or of paths of Parquet files
        The rows.
    client : distributed.Client, optional
        As for :func:`fit`.

    Returns
    -------
    y : ndarray of shape (n_samples,)
        Predictions, in the order of the rows.
    """
    held = _held(model)
    found = _computed([_delayed(_predicted)(held, part) for _, part in _parts(rows)], client)
    return np.concatenate(found) if found else np.empty(0)


def evaluate(model: Model, rows: Any, client: Any = None) -> float:
    """Return the error on all rows: the mean squared error of numbers, the share of wrong classes.

    Parameters
    ----------
    model : Model
        A fitted model.
    rows : Dask frame, or sequence of delayed frames or of paths of Parquet files
        The rows, with the target; those without one are left out.
    client : distributed.Client, optional
        As for :func:`fit`.

    Returns
    -------
    error : float
        The error; NaN without a row that has a target.
    """
    held = _held(model)
    found = _computed([_delayed(_lost)(held, part) for _, part in _parts(rows)], client)
    total = sum(loss for loss, _ in found)
    count = sum(rows for _, rows in found)
    return total / count if count else float("nan")


def _parts(rows: Any) -> list[tuple[int, Any]]:
    """Return the partitions with their numbers."""
    parts = rows.to_delayed() if hasattr(rows, "to_delayed") else rows
    if isinstance(parts, (str, bytes)) or not isinstance(parts, (Sequence, np.ndarray)):
        raise TypeError(
            f"rows are of type {type(rows).__name__}: pass a Dask frame, or a list of delayed frames or paths"
        )
    return list(enumerate(parts))


def _held(model):
    """Return a model that all tasks share, instead of one in each of them."""
    import dask

    return dask.delayed(model, pure=False)


def _delayed(function):
    """Return a function whose calls are tasks."""
    import dask

    return dask.delayed(function, pure=True)


def _computed(tasks, client):
    """Return the results of tasks, by the client, or without one as Dask chooses."""
    import dask

    if client is None:
        return list(dask.compute(*tasks))
    return client.gather(client.compute(tasks))


def _frames(part):
    """Return the frames of a partition: itself, or those of the file at its path."""
    return batches_of(part)


def _merged(start, parts, client):
    """Return these sums with those of all partitions."""
    empty = start.emptied().to_json()
    tasks = [_delayed(_absorbed)(empty, part, f"partition {at:05}") for at, part in parts]
    whole = unpickled(start.to_json())
    for one in _computed(tasks, client):
        if one is not None:
            whole.merge(one)
    return whole._sums


def _absorbed(empty, part, name):
    """Return the sums of a partition; None for one without a row."""
    frames = [frame for frame in _frames(part) if len(frame)]
    if not frames:
        return None
    partial = unpickled(empty)
    partial.absorb(iter(frames), name)
    return partial


def _predicted(model, part):
    """Return the predictions of a partition."""
    found = [model.predict(frame) for frame in _frames(part) if len(frame)]
    return np.concatenate(found) if found else np.empty(0)


def _lost(model, part):
    """Return the sum of the losses of a partition, and its number of rows with a target."""
    loss, count = 0.0, 0
    for frame in _frames(part):
        if not len(frame):
            continue
        target = _tables.narwhal(frame)[model.target].to_numpy()
        seen = np.array([value is not None and value == value for value in target], dtype=bool)
        found = model.predict(frame)
        if model.classes is None:
            off = (found[seen] - target[seen].astype(np.float64)) ** 2
        else:
            off = found[seen] != target[seen]
        loss, count = loss + float(np.sum(off)), count + int(seen.sum())
    return loss, count
