"""Limit the memory of fits."""

import halfseen
import numpy as np
import pytest

ESTIMATORS = [
    getattr(halfseen, name)
    for home in ("budget", "missing", "robust", "full")
    for name in halfseen._HOMES[home]
]


@pytest.fixture
def limited():
    yield halfseen.set_memory_limit
    halfseen.set_memory_limit(None)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_a_fit_that_needs_more_is_refused(estimator, limited):
    X = np.random.default_rng(0).normal(size=(60, 5))
    y = X[:, 0] > 0 if estimator.__name__.endswith("Classifier") else X[:, 0]
    limited(2500)
    with pytest.raises(MemoryError, match=r"needs about .* of memory for 60 rows and 5 columns"):
        estimator().fit(X, y)
    limited(None)
    estimator().fit(X, y)


def test_the_limit_is_a_number_of_bytes(limited):
    default = halfseen.get_memory_limit()
    limited(np.int64(10**9))
    assert halfseen.get_memory_limit() == 10**9
    limited(None)
    assert halfseen.get_memory_limit() == default > 2**20
    for wrong in (0, -1, 2**64):
        with pytest.raises(ValueError, match="number of bytes"):
            limited(wrong)
    for wrong in (1.5, "4GB"):
        with pytest.raises(TypeError):
            limited(wrong)


def test_the_error_is_one_of_memory_and_one_of_values():
    assert issubclass(halfseen.TooMuchMemory, MemoryError)
    assert issubclass(halfseen.TooMuchMemory, ValueError)
