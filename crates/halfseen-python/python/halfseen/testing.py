"""List the public estimators, and the scikit-learn checks that they are expected to fail."""

from typing import Any

from halfseen._from_model import estimator_classes
from halfseen.encoder import Encoder
from halfseen.missing import GeometricMarginClassifier, KARMAClassifier

__all__ = ["estimators", "expected_failed_checks"]

_FINITE = (
    "fit refuses NaN, since it needs every cell that it reads; predict accepts it as an attribute that was"
    " deleted or not measured. Both refuse infinite values."
)
_WEIGHTS = (
    "a row of weight 2 and a duplicated row are the same problem, each solved to the solver's tolerance:"
    " scores agree up to ``tol``, but the check allows 1e-7. With tol=1e-9 it passes."
)


def estimators() -> list[Any]:
    """Return one instance of every public estimator, with default parameters.

    Returns
    -------
    estimators : list of estimator
        Estimators of all families, and the encoder.

    Examples
    --------
    >>> from halfseen.testing import estimators
    >>> any(type(estimator).__name__ == "AERRRegressor" for estimator in estimators())
    True
    """
    return [of() for of in estimator_classes()] + [Encoder()]


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Return the scikit-learn checks that an estimator is expected to fail, with reasons.

    Parameters
    ----------
    estimator : object
        An estimator of this package.

    Returns
    -------
    checks : dict of str to str
        Name of the check -> reason; at most two. For the ``expected_failed_checks`` of
        ``sklearn.utils.estimator_checks.check_estimator`` and ``parametrize_with_checks``.

    Examples
    --------
    >>> from halfseen import KARMARegressor
    >>> from halfseen.testing import expected_failed_checks
    >>> expected_failed_checks(KARMARegressor())
    {}
    """
    if isinstance(estimator, KARMAClassifier | GeometricMarginClassifier):
        kinds = ("dense", "sparse")
        return {f"check_sample_weight_equivalence_on_{kind}_data": _WEIGHTS for kind in kinds}
    if isinstance(estimator, Encoder) or estimator._takes_holes:
        return {}
    return {"check_estimators_nan_inf": _FINITE}
