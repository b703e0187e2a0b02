"""Rows to delete attributes from, and the deletions that change a prediction."""

import itertools

import numpy as np
from halfseen import RobustLPClassifier, RobustLPRegressor, RobustPerceptronClassifier

CLASSIFIERS = [RobustLPClassifier, RobustPerceptronClassifier]
ESTIMATORS = [*CLASSIFIERS, RobustLPRegressor]


def signs(rows=120, columns=6, seed=0):
    """Draw rows of which each column tells the class a little."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=rows)
    return rng.normal(size=(rows, columns)) + 0.8 * (2 * y[:, None] - 1), np.where(y, "up", "down")


def seeded(estimator, **parameters):
    """Make an estimator that draws nothing new from fit to fit."""
    made = estimator(**parameters)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


def cheapest(model, row, values, within=None):
    """Return the least value of attributes whose deletion changes a prediction; NaN if none does."""
    numbers = np.arange(len(row))
    subsets = [np.array(s, dtype=int) for r in numbers + 1 for s in itertools.combinations(numbers, r)]
    rows = np.repeat(row[None], len(subsets), axis=0)
    for at, subset in enumerate(subsets):
        rows[at, subset] = np.nan
    before, after = model.predict(row[None])[0], model.predict(rows)
    changes = after != before if within is None else np.abs(after - before) > within
    costs = [np.nansum(values[subset]) for subset, turned in zip(subsets, changes, strict=True) if turned]
    return min(costs, default=np.nan)
