"""Encode text columns as the program does, for estimators."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted, validate_data

from halfseen import _core
from halfseen import _types as t
from halfseen._attributes import named
from halfseen._documented import Documented
from halfseen._parameters import refusal
from halfseen._saved import Saved
from halfseen._warn import warn
from halfseen.warnings import DataWarning

#: What is said of a remarkable column, by the library's name of the finding.
_FOUND = {
    "dates": (
        "column {name!r} is left out: it holds dates, {number} of them; columns={{{name!r}: 'date'}} learns"
        " from the days since 1970-01-01, columns={{{name!r}: 'category'}} from each date"
    ),
    "identifiers": (
        "column {name!r} is left out: its {number} categories have few rows each, as names and record numbers"
        " do; columns={{{name!r}: 'category'}} learns from them all the same"
    ),
    "odd": (
        "column {name!r} is text because row {number} holds {text!r} among numbers; correct that cell, or"
        " make it missing"
    ),
    "counts-rows": (
        "column {name!r} counts the rows and is learned from; if it is a record number, drop it, else"
        " columns={{{name!r}: 'number'}} says that it is not"
    ),
}
_KINDS = "a dict of names or indices of columns to 'category', 'number' or 'date', or None"


class Encoder(TransformerMixin, Documented, Saved, BaseEstimator):
    """Turn text columns into indicators, one per category, and leave numbers unchanged.

    It is the encoder of the program ``halfseen``: a model fitted to its output has the same weights as one
    that the program fits to the same table. Strings, categories and booleans of a frame are text; each column
    becomes the columns ``name=category``, sorted by category, of which one is 1. A missing cell, and a
    category absent from fit, is NaN in all of them: unknown, not "none of these". So estimators of
    :mod:`halfseen.missing` learn from such rows, and all estimators predict them.

    Dates and identifiers are left out with a warning, by the program's rule, unless ``columns`` declares
    them. A column holds dates if its type says so, or if all its texts are dates of one form (``2024-01-31``,
    ``31.01.2024``). It holds identifiers if it has more than 20 categories, with fewer than 5 rows each on
    average, as names and record numbers do.

    Pass ``groups_`` to an estimator as ``groups=``: the indicators of one text column are then one attribute,
    which costs one read, and is deleted as a whole. Groups refer to names, so use frames as output, with
    ``set_output(transform="pandas")`` or ``"polars"``.

    Parameters
    ----------
    columns : dict of str or int to {'category', 'number', 'date'}, or None
        Kinds of columns, by name or index; others are found by their cells. 'category': one indicator per
        value, also of numbers and dates. 'number': numbers, also written as strings. 'date': days since
        1970-01-01 in UTC, with a fraction for the time of day.

    Attributes
    ----------
    categories_ : dict of str to list of str
        Categories of each text column, sorted.
    groups_ : dict of str to list of str
        Names of the indicators of each text column that has any, for the ``groups`` of estimators.
    left_out_ : list of str
        Names of the columns that were left out: dates and identifiers.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of columns seen in fit, if all are strings.

    See Also
    --------
    sklearn.preprocessing.OneHotEncoder : Other treatments of unknown categories; encodes numbers as well.

    Notes
    -----
    None, NaN, NaT, NA and null are missing. The strings ``""``, ``"NA"`` and ``"?"``, which the program
    treats as missing in a CSV, are ordinary text here, unless the reader of the file has turned them into
    null.

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen import Encoder
    >>> frame = pd.DataFrame({"age": [31.0, 44.0, None], "city": ["Rome", "Oslo", "Rome"]})
    >>> encoder = Encoder().fit(frame)
    >>> encoder.get_feature_names_out()
    array(['age', 'city=Oslo', 'city=Rome'], dtype=object)
    >>> encoder.transform(pd.DataFrame({"age": [50.0, 19.0], "city": [None, "Oslo"]}))
    array([[50., nan, nan],
           [19.,  1.,  0.]])
    >>> encoder.groups_
    {'city': ['city=Oslo', 'city=Rome']}

    Dates become days since 1970-01-01 if they are declared:

    >>> visits = pd.DataFrame({"day": pd.to_datetime(["2024-01-31", "2024-02-01"]), "age": [31.0, 44.0]})
    >>> Encoder(columns={"day": "date"}).fit_transform(visits)
    array([[19753.,    31.],
           [19754.,    44.]])
    """

    categories_: dict[str, list[str]]
    groups_: dict[str, list[str]]
    left_out_: list[str]
    n_features_in_: int
    feature_names_in_: t.Array

    def __init__(
        self, *, columns: Mapping[str | int, Literal["category", "number", "date"]] | None = None
    ) -> None:
        self.columns = columns

    def __sklearn_tags__(self) -> Any:
        """Return the encoder's tags for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Learn the columns and their categories.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Numbers, text and dates. In an array of objects each column holds one of these.
        y : None
            Ignored.

        Returns
        -------
        self : Encoder
            The fitted encoder.

        Raises
        ------
        TypeError
            If a column holds values that are neither number nor text nor date, or several of these.
        ValueError
            If a number is infinite, two columns have the same name when encoded, no column is left, or a
            column is not of its declared kind.
        """
        table = self._table(X, reset=True)
        declared = self._declared()
        encoder, found = _core.Encoder.fit(table, declared)
        said = {}
        for name, kind, number, text in found:
            if kind == "odd-among-many":
                raise ValueError(_FOUND["odd"].format(name=name, number=number, text=text))
            said[name] = _FOUND[kind].format(name=name, number=number, text=text)
        if encoder is None:
            raise ValueError(f"no attribute is left: {'; '.join(said.values())}")
        for text in said.values():
            warn(text, DataWarning)
        self.encoder_, self._numerals = encoder, [name for name, kind in declared if kind == "number"]
        self.left_out_ = [name for name, kind, *_ in found if kind in ("dates", "identifiers")]
        texts = {name: texts for name, texts in self.encoder_.columns if texts is not None}
        self.categories_ = texts
        names, counts = np.unique(self.get_feature_names_out(), return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"two columns are called {names[counts > 1][0]!r} when encoded; rename one of X")
        self.groups_ = {name: [f"{name}={text}" for text in of] for name, of in texts.items() if of}
        return self

    def transform(self, X: ArrayLike) -> Any:
        """Encode a table.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Columns as in fit.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features_out), or a frame
            Numbers; a frame after ``set_output(transform="pandas")`` or ``"polars"``.
        """
        check_is_fitted(self, "encoder_")
        table = self._table(X, reset=False, dates=self.encoder_.dates)
        cells, unknown = self.encoder_.encode(table.with_numbers(self._numerals) if self._numerals else table)
        if unknown:
            text = f"cells with a category that fit did not show, which count as missing: {unknown}"
            warn(text, DataWarning)
        return cells

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> t.Array:
        """Return the names of the encoded columns.

        Parameters
        ----------
        input_features : array-like of str or None
            Names of the input columns; None uses those of fit.

        Returns
        -------
        names : ndarray of str
            ``name`` for a number or date, ``name=category`` for each category of a text column.
        """
        check_is_fitted(self, "encoder_")
        names = _check_feature_names_in(self, input_features)
        columns = dict(self.encoder_.columns)
        kept = [
            (name, columns[own])
            for own, name in zip(_check_feature_names_in(self), names, strict=True)
            if own in columns
        ]
        out = [[name] if texts is None else [f"{name}={text}" for text in texts] for name, texts in kept]
        return np.array([name for of in out for name in of], dtype=object)

    def _declared(self):
        """Return the names and kinds of the declared columns."""
        if self.columns is None:
            return []
        if not isinstance(self.columns, Mapping):
            raise refusal(self, "columns", _KINDS, self.columns)
        names = list(_check_feature_names_in(self))
        declared = [(named(of, names), kind) for of, kind in self.columns.items()]
        if any(name is None or kind not in ("category", "number", "date") for name, kind in declared):
            raise refusal(self, "columns", _KINDS, self.columns)
        return declared

    def _table(self, X, reset, dates=()):
        """Return X as a table of the library, after scikit-learn's checks."""
        from halfseen import _tables

        X = _tables.on_host(_tables.eager(X))
        if _tables.is_frame(X):
            given = _tables.frame_names(X)
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not given or not len(X):
                check_array(X, dtype=None)  # raises scikit-learn's error
            return _tables.table_of_frame(X, _check_feature_names_in(self), dates)
        cells = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        if cells.dtype.kind == "U" and not hasattr(X, "dtype"):
            # A list of lists with one string would become strings throughout.
            cells = check_array(X, dtype=object, ensure_all_finite=False)
        return _tables.table_of_array(cells, list(_check_feature_names_in(self)), dates)
