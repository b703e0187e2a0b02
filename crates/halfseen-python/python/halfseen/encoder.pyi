"""Give types to what halfseen.encoder offers; written by stubs.py."""

from typing import Any, Self

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin

class Encoder(TransformerMixin, BaseEstimator):
    categories_: dict[str, list[str]]
    groups_: dict[str, list[str]]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __sklearn_tags__(self) -> Any: ...
    def fit(self, X: ArrayLike, y: None = None) -> Self: ...
    def transform(self, X: ArrayLike) -> Any: ...
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]: ...
