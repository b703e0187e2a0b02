"""List the public estimators, and the scikit-learn checks that they are expected to fail."""

from typing import Any

from sklearn.base import is_classifier

from halfseen._from_model import estimator_classes
from halfseen.choosing import CHOOSERS
from halfseen.encoder import Encoder
from halfseen.missing import KARMAClassifier

__all__ = ["estimators", "expected_failed_checks"]

_FINITE = (
    "fit refuses NaN, since it needs every cell that it reads; predict accepts it as an attribute that was"
    " deleted or not measured. Both refuse infinite values."
)
_WEIGHTS = (
    "a row of weight 2 and a duplicated row are the same problem, each solved to the solver's tolerance:"
    " scores agree up to ``tol``, but the check allows 1e-7. With tol=1e-9 it passes."
)


_REFUSED = (
    "{setting} refuses sample_weight, because {reason}; the method has the argument for the other settings."
    " Weights are refused and not ignored."
)
_SKETCHED = (
    "partial_fit runs the online algorithm, which keeps rows and so needs features='exact'; with random"
    " features it is refused."
)
_WEIGHT_CHECKS = (
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
_BATCH_CHECKS = (
    "check_fit_score_takes_y",
    "check_n_features_in_after_fitting",
    "check_estimators_partial_fit_n_features",
)


def estimators() -> list[Any]:
    """Return one instance of every public estimator, with default parameters.

    Returns
    -------
    estimators : list of estimator
        Estimators of all families, those that choose one, and the encoder.

    Examples
    --------
    >>> from halfseen.testing import estimators
    >>> any(type(estimator).__name__ == "AERRRegressor" for estimator in estimators())
    True
    """
    return [of() for of in (*estimator_classes(), *CHOOSERS)] + [Encoder()]


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Return the scikit-learn checks that an estimator is expected to fail, with reasons.

    Parameters
    ----------
    estimator : object
        An estimator of this package.

    Returns
    -------
    checks : dict of str to str
        Name of the check -> reason; at most two reasons with default parameters. For the
        ``expected_failed_checks`` of ``sklearn.utils.estimator_checks.check_estimator`` and
        ``parametrize_with_checks``.

    Examples
    --------
    >>> from halfseen import KARMARegressor
    >>> from halfseen.testing import expected_failed_checks
    >>> expected_failed_checks(KARMARegressor())
    {}
    """
    if isinstance(estimator, Encoder):
        return {}
    expected = {} if estimator._takes_holes else {"check_estimators_nan_inf": _FINITE}
    if _is_iterative(estimator):
        expected |= {
            f"check_sample_weight_equivalence_on_{kind}_data": _WEIGHTS for kind in ("dense", "sparse")
        }
    refused = None
    if getattr(estimator, "solver", None) == "online":
        refused = _REFUSED.format(setting="solver='online'", reason="it takes one gradient step per row")
    if getattr(estimator, "chunk", None) is not None:
        refused = _REFUSED.format(setting="chunk", reason="chunks are drawn without regard to weights")
    if refused:
        expected |= dict.fromkeys(_WEIGHT_CHECKS, refused)
        if is_classifier(estimator):
            expected["check_class_weight_classifiers"] = refused
    if getattr(estimator, "features", "exact") != "exact" and hasattr(estimator, "partial_fit"):
        expected |= dict.fromkeys(_BATCH_CHECKS, _SKETCHED)
    return expected


def _is_iterative(estimator):
    """Return True if a weighted fit is solved to a tolerance."""
    exact = isinstance(estimator, KARMAClassifier) and estimator.solver == "exact"
    return exact and estimator.loss != "squared"
