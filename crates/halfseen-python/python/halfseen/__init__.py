"""Learn linear and kernel predictors from data you only half see.

Attributes can be unobserved at three moments, each with a family of estimators:

==========================  =============================================================================
moment                      estimators
==========================  =============================================================================
while collecting            :mod:`halfseen.budget`: read at most ``budget`` attributes of each example
in the table you have       :mod:`halfseen.missing`: learn from rows with missing values
at prediction time          :mod:`halfseen.robust`: prepare for deleted attributes
==========================  =============================================================================

If you know no learner's name, begin with :mod:`halfseen.choosing`: :class:`BudgetedRegressor`,
:class:`IncompleteRegressor`, :class:`RobustRegressor` and their classifiers choose one, and
:func:`suggest` says which and why.

All follow scikit-learn's contract; NaN means missing. scikit-learn is imported with the first estimator.
:class:`Study` collects data with a learner of the first kind over weeks, in one file.
"""

import importlib
from typing import TYPE_CHECKING, Any

from halfseen._core import __version__

if TYPE_CHECKING:  # the same names for type checkers
    from halfseen import budget, dask, missing, plotting, robust, testing
    from halfseen.asktell import Learner, Query
    from halfseen.budget import (
        AELRClassifier,
        AELRRegressor,
        AERClassifier,
        AERRClassifier,
        AERRegressor,
        AERRRegressor,
        AESVRClassifier,
        AESVRRegressor,
        DDAELRClassifier,
        DDAELRRegressor,
        DDAERRClassifier,
        DDAERRRegressor,
        FIMLClassifier,
        FIMLRegressor,
        GAERRClassifier,
        GAERRRegressor,
        MomentLassoClassifier,
        MomentLassoRegressor,
        PNormClassifier,
        PNormRegressor,
    )
    from halfseen.choosing import (
        BudgetedClassifier,
        BudgetedRegressor,
        IncompleteClassifier,
        IncompleteRegressor,
        RobustClassifier,
        RobustRegressor,
    )
    from halfseen.comparing import Comparison, compare
    from halfseen.drawing import draw_rows
    from halfseen.encoder import Encoder
    from halfseen.errors import BudgetSpent, RefusedRows, StudyFileError, TooMuchMemory
    from halfseen.memory import get_memory_limit, set_memory_limit
    from halfseen.missing import (
        KARMAClassifier,
        KARMARegressor,
        MatrixCompletionClassifier,
        MatrixCompletionRegressor,
    )
    from halfseen.model import Model, load
    from halfseen.partial import Partial, fit_stream
    from halfseen.planning import plan
    from halfseen.robust import RobustLPClassifier, RobustLPRegressor, RobustPerceptronClassifier
    from halfseen.study import Study
    from halfseen.suggesting import Suggestion, suggest
    from halfseen.warnings import DataWarning

_HOMES = {
    "budget": (
        "AELRClassifier",
        "AELRRegressor",
        "AERClassifier",
        "AERRClassifier",
        "AERRRegressor",
        "AERRegressor",
        "AESVRClassifier",
        "AESVRRegressor",
        "DDAELRClassifier",
        "DDAELRRegressor",
        "DDAERRClassifier",
        "DDAERRRegressor",
        "FIMLClassifier",
        "FIMLRegressor",
        "GAERRClassifier",
        "GAERRRegressor",
        "MomentLassoClassifier",
        "MomentLassoRegressor",
        "PNormClassifier",
        "PNormRegressor",
    ),
    "missing": (
        "KARMAClassifier",
        "KARMARegressor",
        "MatrixCompletionClassifier",
        "MatrixCompletionRegressor",
    ),
    "robust": ("RobustLPClassifier", "RobustLPRegressor", "RobustPerceptronClassifier"),
    "choosing": (
        "BudgetedClassifier",
        "BudgetedRegressor",
        "IncompleteClassifier",
        "IncompleteRegressor",
        "RobustClassifier",
        "RobustRegressor",
    ),
    "comparing": ("Comparison", "compare"),
    "drawing": ("draw_rows",),
    "partial": ("Partial", "fit_stream"),
    "planning": ("plan",),
    "suggesting": ("Suggestion", "suggest"),
    "asktell": ("Learner", "Query"),
    "encoder": ("Encoder",),
    "errors": ("BudgetSpent", "RefusedRows", "StudyFileError", "TooMuchMemory"),
    "memory": ("get_memory_limit", "set_memory_limit"),
    "model": ("Model", "load"),
    "study": ("Study",),
    "warnings": ("DataWarning",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("budget", "dask", "missing", "plotting", "robust", "testing")

__all__ = [
    "AELRClassifier",
    "AELRRegressor",
    "AERClassifier",
    "AERRClassifier",
    "AERRRegressor",
    "AERRegressor",
    "AESVRClassifier",
    "AESVRRegressor",
    "BudgetSpent",
    "BudgetedClassifier",
    "BudgetedRegressor",
    "Comparison",
    "DDAELRClassifier",
    "DDAELRRegressor",
    "DDAERRClassifier",
    "DDAERRRegressor",
    "DataWarning",
    "Encoder",
    "FIMLClassifier",
    "FIMLRegressor",
    "GAERRClassifier",
    "GAERRRegressor",
    "IncompleteClassifier",
    "IncompleteRegressor",
    "KARMAClassifier",
    "KARMARegressor",
    "Learner",
    "MatrixCompletionClassifier",
    "MatrixCompletionRegressor",
    "Model",
    "MomentLassoClassifier",
    "MomentLassoRegressor",
    "PNormClassifier",
    "PNormRegressor",
    "Partial",
    "Query",
    "RefusedRows",
    "RobustClassifier",
    "RobustLPClassifier",
    "RobustLPRegressor",
    "RobustPerceptronClassifier",
    "RobustRegressor",
    "Study",
    "StudyFileError",
    "Suggestion",
    "TooMuchMemory",
    "__version__",
    "budget",
    "compare",
    "dask",
    "draw_rows",
    "fit_stream",
    "get_memory_limit",
    "load",
    "missing",
    "plan",
    "plotting",
    "robust",
    "set_memory_limit",
    "suggest",
    "testing",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use, and scikit-learn only with it."""
    if name in _HOME_OF:
        value = getattr(importlib.import_module(f"halfseen.{_HOME_OF[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"halfseen.{name}")
    else:
        now = f": {name} is now {name}Regressor" if f"{name}Regressor" in _HOME_OF else ""
        raise AttributeError(f"module 'halfseen' has no attribute {name!r}{now}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List what can be imported."""
    return sorted([*globals(), *__all__])
