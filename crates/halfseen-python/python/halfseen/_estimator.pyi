"""Give types to what halfseen._estimator offers; written by stubs.py."""

from os import PathLike
from typing import Any, Protocol, Self

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from halfseen._parameters import Declaration

class _Sparse(Protocol):
    """A sparse matrix or array, in any form."""

    shape: Any
    def tocsr(self, copy: bool = ...) -> Any: ...

__all__ = [
    "BOUNDS",
    "GROUPS",
    "KNOWN",
    "N_JOBS",
    "PRICES",
    "SCALE",
    "VERBOSE",
    "Classifier",
    "Estimator",
    "Regressor",
]

class Estimator(BaseEstimator):
    def __init_subclass__(cls, learner: Any = None, extra: Any = (), **keywords: Any) -> None: ...
    def __sklearn_tags__(self) -> Any: ...
    def fit(self, X: ArrayLike | _Sparse, y: ArrayLike) -> Self: ...
    def save(self, path: str | PathLike[str]) -> Any: ...

class Weighted:
    def fit(self, X: ArrayLike | _Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self: ...

class Regressor(RegressorMixin, Estimator):
    def __sklearn_tags__(self) -> Any: ...
    def predict(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class Classifier(ClassifierMixin, Estimator):
    def __sklearn_tags__(self) -> Any: ...
    def decision_function(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...
    def predict(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

BOUNDS: Declaration

GROUPS: Declaration

KNOWN: Declaration

N_JOBS: Declaration

PRICES: Declaration

SCALE: Declaration

VERBOSE: Declaration
