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

from halfseen.budget._by_moments import (
    DDAELR,
    DDAERR,
    GAERR,
    DDAELRClassifier,
    DDAERRClassifier,
    GAERRClassifier,
)
from halfseen.budget._from_moments import Identity, IdentityClassifier, MomentLasso, MomentLassoClassifier
from halfseen.budget._kept import FIMLClassifier, FIMLRegressor
from halfseen.budget._smooth import AESVR, AESVRClassifier
from halfseen.budget._uniform import (
    AELR,
    AER,
    AERR,
    AELRClassifier,
    AERClassifier,
    AERRClassifier,
    PNorm,
    PNormClassifier,
)

__all__ = [
    "AELR",
    "AER",
    "AERR",
    "AESVR",
    "DDAELR",
    "DDAERR",
    "GAERR",
    "AELRClassifier",
    "AERClassifier",
    "AERRClassifier",
    "AESVRClassifier",
    "DDAELRClassifier",
    "DDAERRClassifier",
    "FIMLClassifier",
    "FIMLRegressor",
    "GAERRClassifier",
    "Identity",
    "IdentityClassifier",
    "MomentLasso",
    "MomentLassoClassifier",
    "PNorm",
    "PNormClassifier",
]
