"""Learn linear and kernel predictors from data you only half see.

Attributes can be unseen at three moments, and each is a family of estimators:

==========================  =============================================================================
moment                      estimators
==========================  =============================================================================
while collecting            :mod:`halfseen.budget`: read at most ``budget`` attributes of each example
in the data as they came    :mod:`halfseen.missing`: learn from rows with holes, fill nothing in
at prediction time          :mod:`halfseen.robust`: prepare for attributes that vanish
==========================  =============================================================================

All follow scikit-learn's contract; NaN means missing. scikit-learn is imported with the first estimator.
"""

import importlib

from halfseen._core import __version__

_HOMES = {
    "budget": (
        "AELR",
        "AER",
        "AERR",
        "AESVR",
        "DDAELR",
        "DDAERR",
        "GAERR",
        "Identity",
        "MomentLasso",
        "PNorm",
        "AELRClassifier",
        "AERClassifier",
        "AERRClassifier",
        "AESVRClassifier",
        "DDAELRClassifier",
        "DDAERRClassifier",
        "FIMLClassifier",
        "FIMLRegressor",
        "GAERRClassifier",
        "IdentityClassifier",
        "MomentLassoClassifier",
        "PNormClassifier",
    ),
    "missing": (
        "GeometricMarginClassifier",
        "KARMAClassifier",
        "KARMARegressor",
        "MatrixCompletionClassifier",
        "MatrixCompletionRegressor",
    ),
    "robust": (
        "FDROPClassifier",
        "RobustLPClassifier",
        "RobustLPRegressor",
        "RobustPerceptronClassifier",
    ),
    "full": ("OnlineLasso", "OnlineLassoClassifier"),
    "asktell": ("Learner", "Query"),
    "encoder": ("Encoder",),
    "errors": ("BudgetSpent",),
    "model": ("Model", "load"),
    "warnings": ("DataWarning",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("budget", "full", "missing", "plotting", "robust", "testing")

__all__ = ["__version__", *_HOME_OF, *_MODULES]


def __getattr__(name):
    """Import what is asked for, and scikit-learn only with it."""
    if name in _HOME_OF:
        value = getattr(importlib.import_module(f"halfseen.{_HOME_OF[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"halfseen.{name}")
    else:
        raise AttributeError(f"module 'halfseen' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    """List what can be imported."""
    return sorted([*globals(), *__all__])
