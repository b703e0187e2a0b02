"""Encode texts as the program does, so that estimators can learn from them."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted, validate_data

from halfseen import _core
from halfseen import _types as t
from halfseen.warnings import DataWarning


class Encoder(TransformerMixin, BaseEstimator):
    """Turn columns of texts into indicators, one for each category, and leave numbers as they are.

    It is the encoder of the program ``halfseen``: a model fitted to what it gives has the same weights as one
    that the program fits to the same table. Strings, categories and truth values of a frame are texts; each
    becomes the columns ``name=category``, sorted by category, of which one is 1. A missing cell, and a
    category that fit did not see, is NaN in all of them: unknown, and not "none of these". So estimators of
    :mod:`halfseen.missing` learn from such rows, and all estimators predict them.

    Pass ``groups_`` to an estimator as ``groups=``: the indicators of one text are then one attribute, which
    costs one read, and vanishes as a whole. Groups go by name, so let frames come out, with
    ``set_output(transform="pandas")`` or ``"polars"``.

    Attributes
    ----------
    categories_ : dict of str to list of str
        The categories of each column of texts, sorted.
    groups_ : dict of str to list of str
        The names of the indicators of each column of texts that has any: what estimators take as ``groups``.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of columns seen in fit, where all are strings.

    See Also
    --------
    sklearn.preprocessing.OneHotEncoder : Other treatments of what is unknown; knows no numbers beside texts.

    Notes
    -----
    What is missing is for the reader of a file to say: None, NaN, NA and null are. The texts ``""``, ``"NA"``
    and ``"?"``, which the program takes as missing in a CSV, are texts like others here, unless they were
    read as null.

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
        """Tell scikit-learn what the encoder takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Take the columns and their categories.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Numbers and texts. In an array of objects each column holds either.
        y : None
            Ignored.

        Returns
        -------
        self : Encoder
            The fitted encoder.

        Raises
        ------
        TypeError
            If a column holds dates, or anything else that is neither number nor text, or both.
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
        """Encode.

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
        """Return the names of the columns that come out.

        Parameters
        ----------
        input_features : array-like of str or None
            The names of the columns that go in; None takes those of fit.

        Returns
        -------
        names : ndarray of str
            ``name`` for a number, ``name=category`` for each category of a text.
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
                check_array(X, dtype=None)  # says what is missing in scikit-learn's words
            return _tables.table_of_frame(X, _check_feature_names_in(self))
        cells = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        if cells.dtype.kind == "U" and not hasattr(X, "dtype"):
            # A list of lists would become texts throughout if it holds one.
            cells = check_array(X, dtype=object, ensure_all_finite=False)
        return _tables.table_of_array(cells, list(_check_feature_names_in(self)))
