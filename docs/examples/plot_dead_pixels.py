"""
Learn from rows with holes: fill nothing in
===========================================

Laboratories rarely measure everything of everybody. The usual remedy fills holes with guesses and learns from
the guesses; where half of the cells are missing, most of what is learned from is then made up. The estimators
here compare two rows by what both show, or complete attributes and labels as one matrix.
"""

# %%
# Scans with dead pixels
# ----------------------
# Handwritten digits of 8 by 8 pixels ship with scikit-learn. Of every scan a random half of the pixels is
# lost, in training and afterwards.

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from halfseen import KARMAClassifier, MatrixCompletionClassifier
from sklearn.datasets import load_digits
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

digits, y = load_digits(return_X_y=True)
digits, y = digits[:1000], np.array([f"a {digit}" for digit in y[:1000]])
rng = np.random.default_rng(0)
lost = rng.random(digits.shape)
X = np.where(lost < 0.5, np.nan, digits)

figure, axes = plt.subplots(1, 4, figsize=(8, 2.2))
for ax, row, label in zip(axes, X, y, strict=False):
    ax.imshow(row.reshape(8, 8), cmap="gray_r")
    ax.set(title=label, xticks=[], yticks=[])
plt.close(figure)

# %%
# Three ways
# ----------
# NaN goes in as it is. ``gamma`` is the length of the sequences of pixels that are compared: with 1 a hole
# counts as the mean, with more a pair of rows counts the more, the more both show.

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
filled = make_pipeline(SimpleImputer(), StandardScaler(), SVC(kernel="linear"))
models = {
    "means filled in": filled,
    "KARMA, gamma = 1": KARMAClassifier(gamma=1, random_state=0),
    "KARMA, gamma = 2": KARMAClassifier(gamma=2, random_state=0),
}
for name, model in models.items():
    right = model.fit(X_train, y_train).score(X_test, y_test)
    print(f"{name}: {100 * right:.1f} % of ten digits told right")

# %%
# How many holes can be borne
# ---------------------------
# The same with fewer and with more pixels lost.

shares = [0.0, 0.2, 0.4, 0.6, 0.8]
figure, ax = plt.subplots()
for name, model in models.items():
    errors = []
    for share in shares:
        X_train, X_test, y_train, y_test = train_test_split(
            np.where(lost < share, np.nan, digits), y, test_size=0.4, random_state=0
        )
        errors.append(1 - model.fit(X_train, y_train).score(X_test, y_test))
    ax.plot(shares, errors, "o-", label=name)
ax.set(xlabel="share of pixels lost", ylabel="share of digits told wrong", ylim=(0, None))
ax.legend()
plt.close(figure)

# %%
# Labels are holes as well
# ------------------------
# Where nine of ten scans have no label, matrix completion fills labels and pixels at once: the scans without
# a label say what digits look like.

two = np.isin(y, ["a 3", "a 6"])
scans, truth = X[two], y[two].astype(object)
known = np.arange(len(truth)) % 10 == 0
completion = MatrixCompletionClassifier(label_weight=0.01, rank_penalty=0.05)
completed = completion.complete(scans, np.where(known, truth, None))
right = (completed.y == truth)[~known].mean()
print(f"{known.sum()} labels known, {(~known).sum()} filled in: {100 * right:.1f} % right")

figure, axes = plt.subplots(2, 4, figsize=(8, 4))
for (above, below), seen, whole in zip(axes.T, scans, completed.X, strict=False):
    above.imshow(seen.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
    below.imshow(whole.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
plt.close(figure)
