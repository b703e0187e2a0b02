"""Give types to what halfseen._attributes offers; written by stubs.py."""

from typing import Any

from halfseen._parameters import Declaration

SCALE: Declaration

KNOWN: Declaration

GROUPS: Declaration

PRICES: Declaration

BOUNDS: Declaration

N_JOBS: Declaration

VERBOSE: Declaration

def read(estimator: Any, names: Any) -> Any: ...
