"""Give types to what halfseen.budget._from_moments offers; written by stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.budget._budgeted import BudgetedClassifier, BudgetedRegressor

class MomentLasso(BudgetedRegressor):
    coef_: NDArray[Any]
    intercept_: float
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    def set_predict_request(self, *, clip: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        radius: float = 4.0,
        reading: Literal["stationary", "psd", "diag-shift"] = "psd",
        tol: float = 0.0001,
        max_iter: int = 100000,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class MomentLassoClassifier(BudgetedClassifier):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    def set_partial_fit_request(self, *, classes: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        radius: float = 4.0,
        reading: Literal["stationary", "psd", "diag-shift"] = "psd",
        tol: float = 0.0001,
        max_iter: int = 100000,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class Identity(BudgetedRegressor):
    coef_: NDArray[Any]
    intercept_: float
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    def set_predict_request(self, *, clip: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        radius: float = 2.0,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class IdentityClassifier(BudgetedClassifier):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    def set_partial_fit_request(self, *, classes: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        budget: int | None = None,
        total_budget: int | None = None,
        radius: float = 2.0,
        centre: Literal["none", "given", "running"] = "running",
        intercept: bool = True,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...
