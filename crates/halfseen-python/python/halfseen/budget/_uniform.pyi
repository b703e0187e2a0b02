"""Give types to what halfseen.budget._uniform offers; written by stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.budget._budgeted import BudgetedClassifier, BudgetedRegressor

class AER(BudgetedRegressor):
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
        penalty: float | str = "theory",
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

class AERR(BudgetedRegressor):
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
        passive: Literal["no", "one", "all"] = "no",
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

class AELR(BudgetedRegressor):
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
        passive: Literal["no", "one", "all"] = "no",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "all",
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

class PNorm(BudgetedRegressor):
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
        radius: float = 4.0,
        step: float | str = "3.2x",
        p: float | None = 4.0,
        project: bool = False,
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

class AERClassifier(BudgetedClassifier):
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
        penalty: float | str = "theory",
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

class AERRClassifier(BudgetedClassifier):
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
        passive: Literal["no", "one", "all"] = "no",
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

class AELRClassifier(BudgetedClassifier):
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
        passive: Literal["no", "one", "all"] = "no",
        replacement: bool = False,
        centre: Literal["none", "given", "running"] = "running",
        average: Literal["all", "tail"] = "all",
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

class PNormClassifier(BudgetedClassifier):
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
        radius: float = 4.0,
        step: float | str = "3.2x",
        p: float | None = 4.0,
        project: bool = False,
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
