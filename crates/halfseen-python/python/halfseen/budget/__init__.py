"""Learn while each look costs something: at most ``budget`` attributes of each example are read.

Reads are chosen by the learner, before anything of an example is seen; nothing else of it is touched. A fit
needs no means, deviations or norms of cells that nobody paid for.

============================  ==============================================================================
rows that are at hand         ``fit`` (one pass in a random order) or ``partial_fit`` (batch after batch)
values that somebody fetches  ``start``: a :class:`halfseen.Learner` that says what to read, and is told
============================  ==============================================================================

:class:`FIMLRegressor` and :class:`FIMLClassifier` keep what was read, and use it better than the published
learners, which forget it after one step. With ``passive='all'`` they learn from any table with holes.
"""

from halfseen.budget._aesvr import AESVRClassifier, AESVRRegressor
from halfseen.budget._data_dependent import (
    DDAELRClassifier,
    DDAELRRegressor,
    DDAERRClassifier,
    DDAERRRegressor,
    GAERRClassifier,
    GAERRRegressor,
)
from halfseen.budget._fiml import FIMLClassifier, FIMLRegressor
from halfseen.budget._moment_based import (
    IdentityClassifier,
    IdentityRegressor,
    MomentLassoClassifier,
    MomentLassoRegressor,
)
from halfseen.budget._uniform import (
    AELRClassifier,
    AELRRegressor,
    AERClassifier,
    AERRClassifier,
    AERRegressor,
    AERRRegressor,
    PNormClassifier,
    PNormRegressor,
)

__all__ = [
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
    "IdentityClassifier",
    "IdentityRegressor",
    "MomentLassoClassifier",
    "MomentLassoRegressor",
    "PNormClassifier",
    "PNormRegressor",
]
