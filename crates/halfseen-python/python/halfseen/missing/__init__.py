"""Learn from rows with missing values (NaN); a cell that sparse input does not store is an observed zero."""

from halfseen.missing._karma import KARMAClassifier, KARMARegressor
from halfseen.missing._matrix_completion import (
    Completed,
    MatrixCompletionClassifier,
    MatrixCompletionRegressor,
)

__all__ = [
    "Completed",
    "KARMAClassifier",
    "KARMARegressor",
    "MatrixCompletionClassifier",
    "MatrixCompletionRegressor",
]
