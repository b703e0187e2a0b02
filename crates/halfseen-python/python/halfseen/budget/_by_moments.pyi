"""Give types to what halfseen.budget._by_moments offers; written by stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.budget._budgeted import Budgeted, BudgetedClassifier, BudgetedRegressor

class _ByMoments(Budgeted): ...

class GAERR(BudgetedRegressor):
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
        money: float | None = None,
        radius: float = 2.0,
        step: float | str = "1.8x",
        step_rule: Literal["constant", "adagrad"] = "constant",
        probabilities: ArrayLike | None = None,
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "tail",
        truncate: int | None = None,
        intercept: bool = True,
        known_radius: float = 1.0,
        horizon: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class DDAERR(_ByMoments, BudgetedRegressor):
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
        money: float | None = None,
        radius: float = 2.0,
        step: float | str = "1.8x",
        step_rule: Literal["constant", "adagrad"] = "constant",
        moments: Literal["online", "two-phase"] | ArrayLike | None = None,
        exploration: float = 0.3,
        inner: Literal["weights", "moments", "mixed"] = "weights",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "tail",
        truncate: int | None = None,
        intercept: bool = True,
        known_radius: float = 1.0,
        horizon: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        phase1: float = 0.2,
        smoothing: float = 0.01,
        confidence: float = 0.05,
        moment_norm: float | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class DDAELR(_ByMoments, BudgetedRegressor):
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
        money: float | None = None,
        radius: float = 8.0,
        step: float | str = "5.6x",
        moments: Literal["online", "two-phase"] | ArrayLike | None = None,
        exploration: float = 0.3,
        inner: Literal["weights", "moments", "mixed"] = "weights",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "all",
        truncate: int | None = None,
        intercept: bool = True,
        known_radius: float = 1.0,
        horizon: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        phase1: float = 0.2,
        smoothing: float = 0.01,
        confidence: float = 0.05,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class GAERRClassifier(BudgetedClassifier):
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
        money: float | None = None,
        radius: float = 2.0,
        step: float | str = "1.8x",
        step_rule: Literal["constant", "adagrad"] = "constant",
        probabilities: ArrayLike | None = None,
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "tail",
        truncate: int | None = None,
        intercept: bool = True,
        known_radius: float = 1.0,
        horizon: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class DDAERRClassifier(_ByMoments, BudgetedClassifier):
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
        money: float | None = None,
        radius: float = 2.0,
        step: float | str = "1.8x",
        step_rule: Literal["constant", "adagrad"] = "constant",
        moments: Literal["online", "two-phase"] | ArrayLike | None = None,
        exploration: float = 0.3,
        inner: Literal["weights", "moments", "mixed"] = "weights",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "tail",
        truncate: int | None = None,
        intercept: bool = True,
        known_radius: float = 1.0,
        horizon: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        phase1: float = 0.2,
        smoothing: float = 0.01,
        confidence: float = 0.05,
        moment_norm: float | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class DDAELRClassifier(_ByMoments, BudgetedClassifier):
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
        money: float | None = None,
        radius: float = 8.0,
        step: float | str = "5.6x",
        moments: Literal["online", "two-phase"] | ArrayLike | None = None,
        exploration: float = 0.3,
        inner: Literal["weights", "moments", "mixed"] = "weights",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "all",
        truncate: int | None = None,
        intercept: bool = True,
        known_radius: float = 1.0,
        horizon: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        phase1: float = 0.2,
        smoothing: float = 0.01,
        confidence: float = 0.05,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        prices: Mapping[Any, Any] | None = None,
        bounds: Mapping[Any, Any] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...
