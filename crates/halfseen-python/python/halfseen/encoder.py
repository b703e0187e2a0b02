"""Encode text columns as the program does, for estimators."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted, validate_data

from halfseen import _core
from halfseen import _types as t
from halfseen._saved import Saved
from halfseen.warnings import DataWarning


class Encoder(TransformerMixin, Saved, BaseEstimator):
    """Turn text columns into indicators, one per category, and leave numbers unchanged.

    It is the encoder of the program ``halfseen``: a model fitted to its output has the same weights as one
    that the program fits to the same table. Strings, categories and booleans of a frame are text; each column
    becomes the columns ``name=category``, sorted by category, of which one is 1. A missing cell, and a
    category absent from fit, is NaN in all of them: unknown, not "none of these". So estimators of
    :mod:`halfseen.missing` learn from such rows, and all estimators predict them.

    Pass ``groups_`` to an estimator as ``groups=``: the indicators of one text column are then one attribute,
    which costs one read, and is deleted as a whole. Groups refer to names, so use frames as output, with
    ``set_output(transform="pandas")`` or ``"polars"``.

    Attributes
    ----------
    categories_ : dict of str to list of str
        Categories of each text column, sorted.
    groups_ : dict of str to list of str
        Names of the indicators of each text column that has any, for the ``groups`` of estimators.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of columns seen in fit, if all are strings.

    See Also
    --------
    sklearn.preprocessing.OneHotEncoder : Other treatments of unknown categories; encodes numbers as well.

    Notes
    -----
    None, NaN, NA and null are missing. The strings ``""``, ``"NA"`` and ``"?"``, which the program treats as
    missing in a CSV, are ordinary text here, unless the reader of the file has turned them into null.

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
    """

    categories_: dict[str, list[str]]
    groups_: dict[str, list[str]]
    n_features_in_: int
    feature_names_in_: t.Array

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
            Numbers and text. In an array of objects each column holds one or the other.
        y : None
            Ignored.

        Returns
        -------
        self : Encoder
            The fitted encoder.

        Raises
        ------
        TypeError
            If a column holds dates, other values that are neither number nor text, or both of these.
        ValueError
            If a number is infinite, or two columns have the same name when encoded.
        """
        self.encoder_ = _core.Encoder.fit(self._table(X, reset=True))
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
        cells, unknown = self.encoder_.encode(self._table(X, reset=False))
        if unknown:
            text = f"cells with a category that fit did not show, which count as missing: {unknown}"
            warnings.warn(text, DataWarning, stacklevel=3)  # scikit-learn wraps this method
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
            ``name`` for a number, ``name=category`` for each category of a text column.
        """
        check_is_fitted(self, "encoder_")
        names = _check_feature_names_in(self, input_features)
        columns = zip(names, self.encoder_.columns, strict=True)
        out = [
            [name] if texts is None else [f"{name}={text}" for text in texts] for name, (_, texts) in columns
        ]
        return np.array([name for of in out for name in of], dtype=object)

    def _table(self, X, reset):
        """Return X as a table of the library, after scikit-learn's checks."""
        from halfseen import _tables

        if _tables.is_frame(X):
            given = _tables.frame_names(X)
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not given or not len(X):
                check_array(X, dtype=None)  # raises scikit-learn's error
            return _tables.table_of_frame(X, _check_feature_names_in(self))
        cells = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        if cells.dtype.kind == "U" and not hasattr(X, "dtype"):
            # A list of lists with one string would become strings throughout.
            cells = check_array(X, dtype=object, ensure_all_finite=False)
        return _tables.table_of_array(cells, list(_check_feature_names_in(self)))
