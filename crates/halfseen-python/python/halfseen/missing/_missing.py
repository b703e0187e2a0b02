"""Define the base of estimators for rows with missing values."""

from halfseen._estimator import Estimator


class Missing(Estimator):
    """Base of the estimators for rows with missing values."""

    _takes_holes = True
