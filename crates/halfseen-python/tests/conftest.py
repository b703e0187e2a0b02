"""What holds for every test: draws without a seed are the same in each run."""

import numpy as np
import pytest
from serving import has_server

#: Tests of the server, which a program may be built without.
collect_ignore = [] if has_server() else ["test_serve.py", "test_study_url.py"]


@pytest.fixture(autouse=True)
def the_same_draws():
    """Seed NumPy's own generator, from which ``random_state=None`` takes its seeds."""
    np.random.seed(0)  # noqa: NPY002
