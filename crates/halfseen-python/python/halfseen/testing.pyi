"""Give types to what halfseen.testing offers; written by stubs.py."""

from typing import Any

__all__ = ["estimators", "expected_failed_checks"]

def estimators() -> list[Any]: ...
def expected_failed_checks(estimator: Any) -> dict[str, str]: ...
