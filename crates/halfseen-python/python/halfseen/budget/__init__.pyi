"""Give types to what halfseen.budget offers; written by stubs.py."""

from halfseen.budget._by_moments import DDAELR as DDAELR
from halfseen.budget._by_moments import DDAERR as DDAERR
from halfseen.budget._by_moments import GAERR as GAERR
from halfseen.budget._by_moments import DDAELRClassifier as DDAELRClassifier
from halfseen.budget._by_moments import DDAERRClassifier as DDAERRClassifier
from halfseen.budget._by_moments import GAERRClassifier as GAERRClassifier
from halfseen.budget._from_moments import Identity as Identity
from halfseen.budget._from_moments import IdentityClassifier as IdentityClassifier
from halfseen.budget._from_moments import MomentLasso as MomentLasso
from halfseen.budget._from_moments import MomentLassoClassifier as MomentLassoClassifier
from halfseen.budget._kept import FIMLClassifier as FIMLClassifier
from halfseen.budget._kept import FIMLRegressor as FIMLRegressor
from halfseen.budget._smooth import AESVR as AESVR
from halfseen.budget._smooth import AESVRClassifier as AESVRClassifier
from halfseen.budget._uniform import AELR as AELR
from halfseen.budget._uniform import AER as AER
from halfseen.budget._uniform import AERR as AERR
from halfseen.budget._uniform import AELRClassifier as AELRClassifier
from halfseen.budget._uniform import AERClassifier as AERClassifier
from halfseen.budget._uniform import AERRClassifier as AERRClassifier
from halfseen.budget._uniform import PNorm as PNorm
from halfseen.budget._uniform import PNormClassifier as PNormClassifier

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
