"""Warn the caller of the package, whatever stands between."""

import sys
import warnings

#: Packages whose frames are not the caller: a pipeline calls estimators, and joblib the pipeline.
_BETWEEN = {"halfseen", "joblib", "sklearn"}


def warn(text: str, category: type[Warning]) -> None:
    """Warn with the line outside of this package and of scikit-learn that called it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
