"""Give types to what halfseen.budget._kept offers; written by stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen._estimator import _Sparse
from halfseen.budget._budgeted import Budgeted, BudgetedClassifier, BudgetedRegressor

class _WithLink:
    def __init__(self, method: Any) -> None: ...
    def __get__(self, estimator: Any, owner: Any = ...) -> Any: ...

class _Kept(Budgeted):
    @property
    def coef_errors_(self) -> NDArray[Any]: ...

class FIMLRegressor(_Kept, BudgetedRegressor):
    coef_: NDArray[Any]
    intercept_: float
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    def predict_interval(self, X: ArrayLike | _Sparse, level: float = 0.9) -> NDArray[Any]: ...
    def set_predict_request(self, *, clip: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        design: Literal["uniform", "adaptive"] = "adaptive",
        passive: Literal["no", "one", "all"] = "no",
        rank: int | None = None,
        folds: int = 3,
        deviations: int = 0,
        link: Literal["identity", "probit", "logistic", "auto"] = "identity",
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class FIMLClassifier(_Kept, BudgetedClassifier):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    def predict_proba(self, X: ArrayLike | _Sparse) -> NDArray[Any]: ...
    def set_partial_fit_request(self, *, classes: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        design: Literal["uniform", "adaptive"] = "adaptive",
        passive: Literal["no", "one", "all"] = "no",
        rank: int | None = None,
        folds: int = 3,
        deviations: int = 0,
        link: Literal["identity", "probit", "logistic", "auto"] = "identity",
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...
