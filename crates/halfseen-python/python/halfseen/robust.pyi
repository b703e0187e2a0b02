"""Give types to what halfseen.robust offers; written by stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen._estimator import Classifier, Estimator, Regressor, Weighted
from halfseen._trial import Attacked as Attacked
from halfseen._trial import Certificates as Certificates
from halfseen._trial import Tried
from halfseen._trial import attack as attack
from halfseen._trial import attributes as attributes
from halfseen._trial import certify as certify

__all__ = [
    "Attacked",
    "Certificates",
    "FDROPClassifier",
    "RobustLPClassifier",
    "RobustLPRegressor",
    "RobustPerceptronClassifier",
    "attack",
    "attributes",
    "certify",
]

class _Robust(Tried, Estimator):
    def __init_subclass__(cls, learner: Any = None, **keywords: Any) -> None: ...

class RobustLPClassifier(Weighted, Classifier, _Robust):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        threat: float | None = None,
        values: ArrayLike | Literal["uniform", "mi"] = "uniform",
        margin: float | None = None,
        box_radius: float = 1.0,
        deletions: Literal["fractional", "whole"] = "fractional",
        damage: Literal["deletion", "noise"] = "deletion",
        confidence: float = 0.05,
        tried: int = 1,
        chunk: int | None = None,
        quantile: float = 0.5,
        intercept: bool = True,
        tol: float = 1e-06,
        max_iter: int = 300,
        memory: float = 8.0,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class RobustLPRegressor(Weighted, Regressor, _Robust):
    coef_: NDArray[Any]
    intercept_: float
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        threat: float | None = None,
        values: ArrayLike | Literal["uniform", "mi"] = "uniform",
        margin: float | None = None,
        box_radius: float = 1.0,
        deletions: Literal["fractional", "whole"] = "fractional",
        damage: Literal["deletion", "noise"] = "deletion",
        confidence: float = 0.05,
        tried: int = 1,
        chunk: int | None = None,
        quantile: float = 0.5,
        intercept: bool = True,
        tol: float = 1e-06,
        max_iter: int = 300,
        memory: float = 8.0,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class RobustPerceptronClassifier(Classifier, _Robust):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        threat: float | None = None,
        values: ArrayLike | Literal["uniform", "mi"] = "uniform",
        margin: float | None = None,
        box_radius: float = 1.0,
        step: float | str = "theory",
        deletions: Literal["fractional", "whole"] = "fractional",
        damage: Literal["deletion", "noise"] = "deletion",
        confidence: float = 0.05,
        tried: int = 1,
        passes: int = 1,
        validation: float = 0.1,
        intercept: bool = True,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class FDROPClassifier(Weighted, Classifier, _Robust):
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        c: float = 1.0,
        threat: float | None = None,
        values: ArrayLike | Literal["uniform", "mi"] = "uniform",
        intercept: bool = True,
        tol: float = 0.001,
        max_iter: int = 5000,
        scale: Literal["none", "common", "each", "max"] | None = None,
        known: Sequence[str | int] | None = None,
        groups: Mapping[str, Sequence[str | int]] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...
