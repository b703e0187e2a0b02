"""Give types to what halfseen.plotting offers; written by stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from halfseen._estimator import _Sparse

__all__ = ["learning_curve", "missingness", "robustness_curve", "weights_image"]

def learning_curve(
    estimators: Any | Sequence[Any] | Mapping[str, Any],
    X: ArrayLike | _Sparse,
    y: ArrayLike,
    *,
    counts: int | ArrayLike = 6,
    splits: int = 5,
    test_size: float = 0.25,
    random_state: int | np.random.RandomState | None = None,
    logarithmic: bool = True,
    ax: Axes | None = None,
) -> Axes: ...
def robustness_curve(
    estimators: Any | Sequence[Any] | Mapping[str, Any],
    X: ArrayLike | _Sparse,
    y: ArrayLike,
    *,
    threats: ArrayLike | None = None,
    values: Literal["uniform", "mi"] | ArrayLike = "uniform",
    kind: str = "exact",
    random_state: int | np.random.RandomState | None = 0,
    ax: Axes | None = None,
) -> Axes: ...
def weights_image(
    estimator: Any | ArrayLike,
    shape: tuple[int, ...],
    *,
    output: int = 0,
    colorbar: bool = True,
    ax: Axes | None = None,
) -> Axes: ...
def missingness(
    X: ArrayLike | _Sparse, *, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes: ...
