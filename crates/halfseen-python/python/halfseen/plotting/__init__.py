"""Draw learning curves, robustness, weights, shapes and missing values, after scikit-learn's displays.

Every display has ``from_estimator`` (or ``from_data``), which computes and draws; keeps what it draws as
attributes; and draws it again, into other Axes, with ``plot``. Only this module needs matplotlib:
``pip install 'halfseen[plot]'``.
"""

from halfseen.plotting._learning_curve import LearningCurveDisplay
from halfseen.plotting._missingness import MissingnessDisplay
from halfseen.plotting._robustness import RobustnessDisplay
from halfseen.plotting._shapes import ShapesDisplay
from halfseen.plotting._weights import WeightsDisplay

__all__ = [
    "LearningCurveDisplay",
    "MissingnessDisplay",
    "RobustnessDisplay",
    "ShapesDisplay",
    "WeightsDisplay",
]
