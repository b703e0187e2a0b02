"""Define the types that signatures share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Sparse(Protocol):
    """A sparse matrix or array, in any format."""

    shape: Any

    def tocsr(self, copy: bool = ...) -> Any:
        """Return the matrix in compressed rows."""


Array: TypeAlias = NDArray[Any]
Matrix: TypeAlias = ArrayLike | Sparse
Seed: TypeAlias = int | np.random.RandomState | None
Request: TypeAlias = bool | str | None
Rule: TypeAlias = float | str
Costs: TypeAlias = ArrayLike | Literal["uniform", "mi"]
Moments: TypeAlias = ArrayLike | Literal["online", "two-phase"] | None
Scale: TypeAlias = Literal["none", "common", "each", "max"] | None
Basis: TypeAlias = Literal["none", "hats"] | None
Names: TypeAlias = Sequence[str | int] | None
Groups: TypeAlias = Mapping[str, Sequence[str | int]] | None
ByAttribute: TypeAlias = Mapping[Any, Any] | None
ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
Verbose: TypeAlias = bool | Callable[[int, int], object]
