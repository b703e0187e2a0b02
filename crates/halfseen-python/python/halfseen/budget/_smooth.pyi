"""Give types to what halfseen.budget._smooth offers; written by stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.budget._budgeted import BudgetedClassifier, BudgetedRegressor

class AESVR(BudgetedRegressor):
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
        radius: float = 1.0,
        step: float | str = "theory",
        ball: Literal["l2", "l1"] = "l2",
        loss: Literal["absolute", "hinge", "exponential", "logistic"] = "absolute",
        tube: float = 0.0,
        smoothing_width: float = 8.0,
        norm_bound: float | None = None,
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

class AESVRClassifier(BudgetedClassifier):
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
        radius: float = 1.0,
        step: float | str = "theory",
        ball: Literal["l2", "l1"] = "l2",
        loss: Literal["absolute", "hinge", "exponential", "logistic"] = "absolute",
        tube: float = 0.0,
        smoothing_width: float = 8.0,
        norm_bound: float | None = None,
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
