"""Give types to what halfseen._trial offers; written by stubs.py."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen._estimator import _Sparse

@dataclass(frozen=True)
class Certificates:
    prediction: NDArray[Any]
    certified: NDArray[Any]
    flips_at: NDArray[Any]
    flips: tuple[NDArray[Any], ...]
    exact: NDArray[Any]
    missing: NDArray[Any]
    attributes: tuple[str, ...]
    values: NDArray[Any]
    def __len__(self) -> int: ...
    def error(self, threat: float, y: ArrayLike | None = None) -> float: ...

@dataclass(frozen=True)
class Attacked:
    prediction: NDArray[Any]
    scores: NDArray[Any]
    score: float
    threat: float
    unproven: int

def attributes(estimator: Any) -> tuple[str, ...]: ...
def certify(
    estimator: Any,
    X: ArrayLike | _Sparse,
    values: Literal["uniform", "mi"] | ArrayLike | None = None,
    within: float | None = None,
    y: ArrayLike | None = None,
) -> Certificates: ...
def attack(
    estimator: Any,
    X: ArrayLike | _Sparse,
    y: ArrayLike,
    threat: float | None = None,
    values: Literal["uniform", "mi"] | ArrayLike | None = None,
    kind: Literal[
        "exact", "greedy", "random", "noise", "greedy-value", "greedy-weight", "noise-weight"
    ] = "exact",
    random_state: int | np.random.RandomState | None = 0,
) -> Attacked: ...

class Tried:
    def certify(
        self,
        X: ArrayLike | _Sparse,
        values: Literal["uniform", "mi"] | ArrayLike | None = None,
        within: float | None = None,
    ) -> Certificates: ...
    def attacked_score(
        self,
        X: ArrayLike | _Sparse,
        y: ArrayLike,
        threat: float | None = None,
        values: Literal["uniform", "mi"] | ArrayLike | None = None,
        kind: Literal[
            "exact", "greedy", "random", "noise", "greedy-value", "greedy-weight", "noise-weight"
        ] = "exact",
        random_state: int | np.random.RandomState | None = 0,
    ) -> float: ...

def without_known(estimator: Any, values: Any) -> Any: ...
