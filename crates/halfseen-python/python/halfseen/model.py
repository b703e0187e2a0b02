"""Load and save models: one file for Python, Rust and the program."""

import html
import json
import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen import _core
from halfseen._report import Report
from halfseen._warn import warn


def load(path: str | os.PathLike[str]) -> "Model":
    """Load a model that was saved from Python, from Rust or by the program.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : Model
        The fitted model.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not a model, or is truncated or damaged; the message names the file and the key.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import halfseen
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> halfseen.KARMARegressor().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).save(path)
    >>> halfseen.load(path).learner
    'karma'
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not a model: it is not text; load a file written by save or `halfseen fit`"
        ) from None
    try:
        return Model(_core.Model.from_json(text))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


class Model:
    """A fitted model: predicts from frames and arrays in their own units and labels.

    It holds the columns it was fitted to, the categories of text columns, and the scales. Load one with
    :func:`load`; ``Model(estimator.model_)`` is the model of a fitted estimator.

    Parameters
    ----------
    model : object
        ``model_`` of a fitted estimator.

    Attributes
    ----------
    learner : str
        The library's name of the learner.
    params : dict
        Parameters, under the library's names.
    report : Report
        Report of the fit, a dict that prints in words: reads, reason to stop, objective and gap if there are
        any.
    classes : ndarray of shape (n_classes,) or None
        Sorted labels; None for a regression. With two, a positive score means the second.
    columns : dict of str to (list of str or None)
        Columns it was fitted to, in order, with the categories of text columns.
    target : str
        Name of the target.

    See Also
    --------
    load : Load one.

    Examples
    --------
    >>> import halfseen
    >>> fitted = halfseen.KARMARegressor().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model = halfseen.Model(fitted.model_)
    >>> model.columns
    {'x0': None}
    >>> model
    Model('karma', columns=1)
    """

    def __init__(self, model: Any):
        self._model = model
        self.learner, self.target = model.learner, model.target
        self.params, self.report = json.loads(model.parameters), Report.of(model)
        self.columns = dict(model.columns)
        self.classes = _labels(model.classes) if model.classifies else None

    def scores(self, X: ArrayLike) -> NDArray[Any]:
        """Score examples.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_columns)
            A frame's columns are matched by name, in any order. An array, or a frame without names, must have
            the model's columns in order. A missing value is NaN, None or null.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Estimates of the target, or of -1 and +1 for two classes; one score for each of more classes.

        Raises
        ------
        ValueError
            If an array has the wrong number of columns, a frame lacks more than half of the columns, or a
            number is infinite.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_columns)
            As in :meth:`scores`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels, or estimates in units of the target.
        """
        scores = self._scores(X)
        if self.classes is None:
            return scores[:, 0]
        return self.classes[chosen(scores)]

    def weights(self) -> tuple[dict[str, float], float]:
        """Return the weight of every encoded column, and the intercept, in raw units.

        Returns
        -------
        weights : dict of str to float
            By name of the column; ``name=category`` for each category of a text column; ``curve of name``
            for the curve of a column.
        intercept : float
            Prediction if all columns and curves are zero.

        Raises
        ------
        ValueError
            If the predictor is not linear in the attributes, or has weights for each of several classes.
        """
        found = self._sums()
        if len(found) > 1:
            raise ValueError(f"this model has weights for each of {len(found)} classes: use class_weights()")
        return dict(found[0][0]), found[0][1]

    def class_weights(self) -> dict[Any, tuple[dict[str, float], float]]:
        """Return the weights and the intercept of each of more than two classes, in raw units.

        Returns
        -------
        weights : dict of label to pair
            As :meth:`weights`, by class. The class of the largest sum is predicted.

        Raises
        ------
        ValueError
            If the predictor is not linear in the attributes, or predicts numbers or two classes.
        """
        found = self._sums()
        if self.classes is None or len(found) == 1:
            raise ValueError("this model has one weight for each column: use weights()")
        sums = ((dict(pairs), constant) for pairs, constant in found)
        return dict(zip(self.classes.tolist(), sums, strict=True))

    def _sums(self):
        """Return the pairs of name and weight, and the intercept, of each linear model."""
        found = self._model.weights()
        if found is None:
            raise ValueError(f"{self.learner} does not predict by linear models, and so has no weights")
        return found

    def declared(self) -> dict[str, Any]:
        """Return the declarations on attributes: scale, basis, known ones, panels and prices.

        Returns
        -------
        declared : dict
            Under the names of the parameters of estimators: ``scale``, ``basis``, ``known``, ``groups``,
            ``prices``.
        """
        declared = json.loads(self._model.declared)
        return declared | {"groups": dict(declared["groups"])}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model as a file that Python, Rust and the program load.

        Parameters
        ----------
        path : str or path-like
            Path of the file; an existing one is replaced atomically.
        """
        write(self._model, path)

    def estimator(self) -> Any:
        """Return the model as a fitted estimator.

        Returns
        -------
        estimator : object
            Estimator of the learner's class with the file's parameters. Bounds are not in the file; moments
            are in scaled units.

        Raises
        ------
        ValueError
            If a column holds text, which estimators do not accept: encode it with :class:`~halfseen.Encoder`
            and fit again; or if the learner has no estimator here (scikit-learn has ridge, lasso and linear
            support vector machines).
        """
        from halfseen import _from_model

        return _from_model.estimator_of(self)

    def __repr__(self):
        """Show the learner and the number of columns."""
        return f"Model({self.learner!r}, columns={len(self.columns)})"

    def __str__(self) -> str:
        """Return target, attributes, the largest weights, and the report of the fit in words."""
        rows = self._largest()
        table = [f"  {name:<24}" + "".join(f" {cell:>12}" for cell in cells) for name, *cells in rows]
        return "\n".join([self._sentence(), "", *table, *([""] if table else []), str(self.report)])

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        head, *rows = self._largest() or [[]]
        table = "<table><thead><tr>" + "".join(f"<th>{name}</th>" for name in head) + "</tr></thead>"
        for name, *cells in rows:
            numbers = "".join(f"<td>{cell}</td>" for cell in cells)
            table += f'<tr><td style="text-align:left">{html.escape(name)}</td>{numbers}</tr>'
        shown = f"{table}</table>" if rows else ""
        return f"<p>{html.escape(self._sentence())}</p>{shown}{self.report._repr_html_()}"

    def _sentence(self):
        """Return a sentence on the target and the attributes."""
        count = len(self.columns)
        what = "" if self.classes is None else f", one of {len(self.classes)} classes,"
        return f"{self.learner} predicts {self.target}{what} from {count} column{'s' * (count != 1)}"

    def _largest(self):
        """Return the rows of a table of the weights that move predictions most, its head first.

        They are compared by the weight times the attribute's standard deviation, as by ``halfseen show``, or
        where the fit may not know it by the weight.
        """
        found = self._model.weights()
        if found is None or len(found) > 1:
            return []
        weights, deviations = found[0][0], self._model.deviations()
        spreads = [1.0] * len(weights) if deviations is None else deviations
        rows = [
            (name, weight, weight * spread) for (name, weight), spread in zip(weights, spreads, strict=True)
        ]
        rows.sort(key=lambda row: -abs(row[2]))
        shown = 2 if deviations is None else 3
        cells = ([row[0], *(f"{number:.5g}" for number in row[1:shown])] for row in rows[:10])
        return [["attribute", "weight", "standardised"][:shown], *cells]

    def __reduce__(self):
        """Pickle as a model file."""
        return Model, (self._model,)

    def _scores(self, X):
        from sklearn.utils.validation import check_array

        from halfseen import _tables

        X = _tables.on_host(_tables.eager(X))
        if _tables.is_frame(X) and _tables.is_named(X):
            table = _tables.table_of_frame(X, _tables.frame_names(X), self._model.dates)
            scores, met = self._model.scores_of_table(table)
            self._remark(*met)
            return scores
        names = list(self.columns)
        texts = any(categories is not None for categories in self.columns.values())
        cells = check_array(
            X, dtype=None if texts else np.float64, ensure_all_finite="allow-nan", accept_sparse=False
        )
        if texts and not hasattr(X, "dtype"):
            cells = check_array(X, dtype=object, ensure_all_finite=False)
        if cells.shape[1] != len(names):
            raise ValueError(
                f"X has {cells.shape[1]} features, but the model is expecting {len(names)} features as input"
            )
        if not texts:
            return self._model.scores(cells)
        scores, met = self._model.scores_of_table(_tables.table_of_array(cells, names, self._model.dates))
        self._remark(*met)
        return scores

    def _remark(self, absent, ignored, unknown):
        """Warn of absent and unused columns and of unknown categories, as the program does."""
        from halfseen.warnings import DataWarning

        ignored = [name for name in ignored if name != self.target]
        for problem, names in (("does not use", ignored), ("expects and that count as missing", absent)):
            if names:
                listed = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
                warn(f"columns that the model {problem}: {listed}", DataWarning)
        if unknown:
            text = f"cells with a category that fit did not show, which count as missing: {unknown}"
            warn(text, DataWarning)


def chosen(scores: NDArray[Any]) -> NDArray[Any]:
    """Return the index of the predicted class for each row of scores."""
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)


class _Saved(Protocol):
    """Anything that is saved as a text file."""

    def to_json(self) -> str:
        """Return the text."""
        ...


def write(model: _Saved, path: str | os.PathLike[str]) -> None:
    """Write a model to a temporary file, and rename it."""
    from halfseen import _files

    _files.replace(Path(path), model.to_json() + "\n")


def _labels(labels):
    """Return labels as an array of integers, of strings, or if mixed of objects."""
    if all(isinstance(label, float) and label.is_integer() and abs(label) < 2**53 for label in labels):
        return np.array([int(label) for label in labels])
    kinds = {type(label) for label in labels}
    return np.array(labels, dtype=object if len(kinds) > 1 else None)
