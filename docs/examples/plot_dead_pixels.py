"""
Read digits from scans with dead pixels, and fill nothing in
============================================================

A cheap scanner loses pixels, different ones in each scan. The usual remedy fills every dead pixel with its
average over all scans, and learns from the result. If half of the pixels are dead, half of these numbers are
made up. The alternative compares two scans by the pixels that both of them show.
"""

# %%
# Scans with dead pixels
# ----------------------
# Handwritten digits of 8 by 8 pixels ship with scikit-learn. Every scan loses a random half of its pixels, in
# training and in use. The picture shows lost pixels in orange.

import warnings
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from halfseen import DataWarning, KARMAClassifier
from sklearn.datasets import load_digits
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

plt.style.use("tableau-colorblind10")
digits, y = load_digits(return_X_y=True)
digits, y = digits[:1000], y[:1000]
lost = np.random.default_rng(0).random(digits.shape)
X = np.where(lost < 0.5, np.nan, digits)

gray = plt.get_cmap("gray_r").with_extremes(bad="#ff800e")
figure, axes = plt.subplots(1, 6, figsize=(8, 1.8), layout="constrained")
for ax, row, label in zip(axes, X, y, strict=False):
    ax.imshow(row.reshape(8, 8), cmap=gray)
    ax.set(title=f"a {label}", xticks=[], yticks=[])

# %%
# Four ways
# ---------
# Two fill each lost pixel with its mean, the usual way, and run a support vector machine: a linear one, and
# one with the usual curved kernel. The two others compare scans by the pixels that both show; they take NaN.
# ``gamma=2`` is the default; ``degree=2`` looks at pairs of pixels.

warnings.filterwarnings("ignore", "missingness of", DataWarning)
models = {
    "means filled in, linear SVM": make_pipeline(
        SimpleImputer(keep_empty_features=True), SVC(kernel="linear")
    ),
    "means filled in, SVM with RBF kernel": make_pipeline(SimpleImputer(keep_empty_features=True), SVC()),
    "KARMA by default (gamma = 2)": KARMAClassifier(),
    "KARMA of pairs (degree = 2)": KARMAClassifier(gamma=1, degree=2, loss="squared"),
}
shares = np.array([0.0, 0.25, 0.5, 0.75])
figure, ax = plt.subplots(layout="constrained")
for (name, model), style in zip(models.items(), ("s:", "^:", "v-", "o-"), strict=True):
    errors = np.empty((len(shares), 3))
    for (at, share), seed in product(enumerate(shares), range(3)):
        X_train, X_test, y_train, y_test = train_test_split(
            np.where(lost < share, np.nan, digits), y, test_size=0.4, random_state=seed
        )
        errors[at, seed] = 100 * (1 - model.fit(X_train, y_train).score(X_test, y_test))
    none, _, half, most = errors.mean(axis=1)
    ax.plot(100 * shares, errors.mean(axis=1), style, label=name)
    print(f"{name}: {none:.1f} % wrong with all pixels, {half:.1f} % with half, {most:.1f} % with a quarter")
ax.set(xlabel="pixels lost (%)", ylabel="digits misclassified (%), mean of 3 splits", ylim=(0, None))
ax.set(xticks=100 * shares)
ax.legend(frameon=False)

# %%
# KARMA with its default settings beats the linear machine on means if half of the pixels or more are lost,
# and loses to it otherwise. The curved kernel on means is better than both. KARMA of pairs is about as good
# as that: somewhat better at half of the pixels, somewhat worse at three quarters. KARMA does no miracle
# here. It saves a step, and it learns only from numbers that were seen.
#
# When not: with few lost pixels and a curved kernel, means are good enough.
