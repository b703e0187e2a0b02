"""Give types to what halfseen offers; written by stubs.py."""

from halfseen import budget as budget
from halfseen import full as full
from halfseen import missing as missing
from halfseen import plotting as plotting
from halfseen import robust as robust
from halfseen import testing as testing
from halfseen.asktell import Learner as Learner
from halfseen.asktell import Query as Query
from halfseen.budget import AELR as AELR
from halfseen.budget import AER as AER
from halfseen.budget import AERR as AERR
from halfseen.budget import AESVR as AESVR
from halfseen.budget import DDAELR as DDAELR
from halfseen.budget import DDAERR as DDAERR
from halfseen.budget import GAERR as GAERR
from halfseen.budget import AELRClassifier as AELRClassifier
from halfseen.budget import AERClassifier as AERClassifier
from halfseen.budget import AERRClassifier as AERRClassifier
from halfseen.budget import AESVRClassifier as AESVRClassifier
from halfseen.budget import DDAELRClassifier as DDAELRClassifier
from halfseen.budget import DDAERRClassifier as DDAERRClassifier
from halfseen.budget import FIMLClassifier as FIMLClassifier
from halfseen.budget import FIMLRegressor as FIMLRegressor
from halfseen.budget import GAERRClassifier as GAERRClassifier
from halfseen.budget import Identity as Identity
from halfseen.budget import IdentityClassifier as IdentityClassifier
from halfseen.budget import MomentLasso as MomentLasso
from halfseen.budget import MomentLassoClassifier as MomentLassoClassifier
from halfseen.budget import PNorm as PNorm
from halfseen.budget import PNormClassifier as PNormClassifier
from halfseen.encoder import Encoder as Encoder
from halfseen.errors import BudgetSpent as BudgetSpent
from halfseen.full import OnlineLasso as OnlineLasso
from halfseen.full import OnlineLassoClassifier as OnlineLassoClassifier
from halfseen.missing import GeometricMarginClassifier as GeometricMarginClassifier
from halfseen.missing import KARMAClassifier as KARMAClassifier
from halfseen.missing import KARMARegressor as KARMARegressor
from halfseen.missing import MatrixCompletionClassifier as MatrixCompletionClassifier
from halfseen.missing import MatrixCompletionRegressor as MatrixCompletionRegressor
from halfseen.model import Model as Model
from halfseen.model import load as load
from halfseen.robust import FDROPClassifier as FDROPClassifier
from halfseen.robust import RobustLPClassifier as RobustLPClassifier
from halfseen.robust import RobustLPRegressor as RobustLPRegressor
from halfseen.robust import RobustPerceptronClassifier as RobustPerceptronClassifier
from halfseen.warnings import DataWarning as DataWarning

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
    "BudgetSpent",
    "DDAELRClassifier",
    "DDAERRClassifier",
    "DataWarning",
    "Encoder",
    "FDROPClassifier",
    "FIMLClassifier",
    "FIMLRegressor",
    "GAERRClassifier",
    "GeometricMarginClassifier",
    "Identity",
    "IdentityClassifier",
    "KARMAClassifier",
    "KARMARegressor",
    "Learner",
    "MatrixCompletionClassifier",
    "MatrixCompletionRegressor",
    "Model",
    "MomentLasso",
    "MomentLassoClassifier",
    "OnlineLasso",
    "OnlineLassoClassifier",
    "PNorm",
    "PNormClassifier",
    "Query",
    "RobustLPClassifier",
    "RobustLPRegressor",
    "RobustPerceptronClassifier",
    "__version__",
    "budget",
    "full",
    "load",
    "missing",
    "plotting",
    "robust",
    "testing",
]
__version__: str
