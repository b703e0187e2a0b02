"""
Four pixels of each picture: the error against what was paid
============================================================

A seller of data charges by the value: one cent for each pixel of a picture, and the label comes with it. With
the same money you may buy few pictures whole, or four pixels of each of many. Which teaches more?
"""

# %%
# Even or odd
# -----------
# The 1,797 handwritten digits of scikit-learn, 64 pixels each. Is the number even or odd? The buyer of whole
# pictures uses ridge regression. :class:`~halfseen.FIMLClassifier` chooses four pixels of each picture before
# it has seen anything of it. It keeps them, and learns how pixels are correlated.
# :class:`~halfseen.AERRClassifier` also buys four; it is a published method with a guarantee, and takes a
# single small step for each picture.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from halfseen import AERRClassifier, DataWarning, FIMLClassifier
from halfseen.plotting import LearningCurveDisplay
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifierCV
from sklearn.model_selection import train_test_split

plt.style.use("tableau-colorblind10")
# Some pixels at the rim are always white. The learner says so, and gives them no weight.
warnings.filterwarnings("ignore", "attributes with a single distinct value", DataWarning)

X, y = load_digits(return_X_y=True)
y = np.where(y % 2 == 1, "odd", "even")
models = {
    "whole pictures, ridge": RidgeClassifierCV(np.logspace(0, 5, 11)),
    "4 pixels each, FIML": FIMLClassifier(budget=4, shape="linear", random_state=0),
    "4 pixels each, AERR": AERRClassifier(budget=4, random_state=0),
}
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
for name, model in models.items():
    wrong = 100 * (1 - model.fit(X_train, y_train).score(X_test, y_test))
    paid = getattr(model, "distinct_", X_train.size)
    print(f"{name}: {paid / 100:.2f} dollars, {wrong:.1f} % of new pictures misclassified")

# %%
# What the money buys
# -------------------
# ``LearningCurveDisplay`` fits all of them to more and more pictures, and draws the error on
# new ones against the pixels that were paid for. The axis is logarithmic: each grid line is ten times the
# price.

counts = [40, 100, 250, 600, 1347]
display = LearningCurveDisplay.from_estimator(models, X, y, counts=counts, splits=3, random_state=0)
ax = display.ax_
ax.set(xlabel="pixels paid for (cents)", ylabel="share of new pictures misclassified", ylim=(0, 0.6))
ax.axhline(0.5, color="gray", linestyle=":", linewidth=1)
ax.annotate("guessing", (1, 0.5), xycoords=("axes fraction", "data"), ha="right", va="bottom", color="gray")

# %%
# With 25 dollars four pixels of each of 600 pictures are better than 40 whole pictures. From about 40 dollars
# on whole pictures are better, if labels cost nothing and you can buy whole pictures. Four pixels of
# all 1,347 pictures reach an error of 16 %; ridge regression reaches 10 % at sixteen times the
# price. From ten dollars on AERR stays well above both: its guarantee has a price, too.
#
# When not: where few whole rows cost the same as many parts of rows. Reading parts is useful if you cannot
# have more of a row, as with patients and people who answer questions.
