"""Give types to what halfseen._estimator offers; written by stubs.py."""

from typing import Any, Protocol, Self

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from halfseen._parameters import Declaration

class _Sparse(Protocol):
    """A sparse matrix or array, in any form."""

    shape: Any
    def tocsr(self, copy: bool = ...) -> Any: ...

SCALE: Declaration

KNOWN: Declaration

GROUPS: Declaration

PRICES: Declaration

BOUNDS: Declaration

N_JOBS: Declaration

VERBOSE: Declaration

class Estimator(BaseEstimator):
    def fit(self, X: ArrayLike | _Sparse, y: ArrayLike) -> Self: ...

class Regressor(RegressorMixin, Estimator):
    def predict(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...

class Classifier(ClassifierMixin, Estimator):
    def decision_function(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...
    def predict(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...
