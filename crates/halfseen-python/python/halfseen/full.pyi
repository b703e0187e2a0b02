"""Give types to what halfseen.full offers; written by stubs.py."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from halfseen._estimator import Classifier, Estimator, Regressor

class _Full(Estimator): ...

class OnlineLasso(Regressor, _Full):
    coef_: NDArray[Any]
    intercept_: float
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        radius: float = 16.0,
        step: float | str | None = None,
        variant: Literal["eg", "ogd", "rda"] = "eg",
        penalty: float = 0.001,
        intercept: bool = True,
        known_radius: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class OnlineLassoClassifier(Classifier, _Full):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    reads_: int
    distinct_: int
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        radius: float = 16.0,
        step: float | str | None = None,
        variant: Literal["eg", "ogd", "rda"] = "eg",
        penalty: float = 0.001,
        intercept: bool = True,
        known_radius: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...
