"""Learn from paid reads: at most ``budget`` attributes of each example are read.

The learner chooses its reads before any value of an example is observed, and uses nothing else: a fit needs
no means, standard deviations or norms of unread cells.

============================  ==============================================================================
rows in memory                ``fit`` (one pass in a random order) or ``partial_fit`` (batch after batch)
values fetched on request     ``start``: a :class:`halfseen.Learner` that asks for reads and gets answers
============================  ==============================================================================

:class:`FIMLRegressor` and :class:`FIMLClassifier` keep their reads, and use them better than the published
learners, which discard them after one step. With ``passive='all'`` they learn from tables with missing
values.
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
from halfseen.budget._moment_based import MomentLassoClassifier, MomentLassoRegressor
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
    "MomentLassoClassifier",
    "MomentLassoRegressor",
    "PNormClassifier",
    "PNormRegressor",
]
