"""Give types to what halfseen.missing offers; written by stubs.py."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen._estimator import Classifier, Estimator, Regressor, Weighted
from halfseen._parameters import Declaration

VARIANT: Declaration

class _Holed(Estimator): ...

class KARMAClassifier(Weighted, Classifier, _Holed):
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
        gamma: int = 2,
        c: float = 1.0,
        loss: Literal["auto", "squared", "hinge"] = "auto",
        normalization: Literal["none", "trace", "uniform", "cosine"] = "trace",
        length_weights: ArrayLike | None = None,
        degree: int = 1,
        coef0: float = 0.0,
        features: str = "exact",
        solver: Literal["exact", "online"] = "exact",
        intercept: bool = True,
        memory: float = 8.0,
        tol: float = 0.0001,
        max_iter: int = 10000,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class KARMARegressor(Weighted, Regressor, _Holed):
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        gamma: int = 2,
        c: float = 1.0,
        loss: Literal["auto", "squared", "hinge"] = "auto",
        normalization: Literal["none", "trace", "uniform", "cosine"] = "trace",
        length_weights: ArrayLike | None = None,
        degree: int = 1,
        coef0: float = 0.0,
        features: str = "exact",
        solver: Literal["exact", "online"] = "exact",
        intercept: bool = True,
        memory: float = 8.0,
        tol: float = 0.0001,
        max_iter: int = 10000,
        random_state: int | np.random.RandomState | None = None,
        scale: Literal["none", "common", "each", "max"] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

@dataclass(frozen=True)
class Completed:
    X: NDArray[Any]
    y: NDArray[Any]
    scores: NDArray[Any]

class _Completion(_Holed):
    def complete(self, X: ArrayLike, y: ArrayLike) -> Completed: ...

class MatrixCompletionClassifier(Classifier, _Completion):
    classes_: NDArray[Any]
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        label_weight: float = 0.1,
        rank_penalty: float = 0.2,
        loss: Literal["auto", "logistic", "squared"] = "auto",
        tol: float = 0.001,
        max_iter: int = 1000,
        variant: Literal["b", "1"] = "b",
        scale: Literal["none", "common", "each", "max"] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class MatrixCompletionRegressor(Regressor, _Completion):
    report_: dict[str, Any]
    n_iter_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def __init__(
        self,
        *,
        label_weight: float = 0.1,
        rank_penalty: float = 0.2,
        loss: Literal["auto", "logistic", "squared"] = "auto",
        tol: float = 0.001,
        max_iter: int = 1000,
        variant: Literal["b", "1"] = "b",
        scale: Literal["none", "common", "each", "max"] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...

class GeometricMarginClassifier(Weighted, Classifier, _Holed):
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
        rounds: int = 5,
        tol: float = 0.0001,
        max_iter: int = 200,
        scale: Literal["none", "common", "each", "max"] | None = None,
        n_jobs: int | None = None,
        verbose: bool | Callable[[int, int], object] = False,
    ) -> None: ...
