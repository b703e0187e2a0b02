"""
Sensors fail: lose a little today, not everything tomorrow
==========================================================

A model that was learned from complete rows runs in a machine, and a year later sensors have failed. If
the model depends on few of them, it fails with them. How bad can it get, and what does it cost to be
prepared?
"""

# %%
# The worst that can happen
# -------------------------
# Thirty measurements of breast tumours stand for thirty sensors; they ship with scikit-learn. The worst case
# is an adversary who knows the model, and deletes the measurements whose loss hurts most, different ones in
# each row. For a linear model the worst can be computed. A lost measurement becomes 0 where we divide by the
# largest value, so that 0 means "nothing there".

import matplotlib.pyplot as plt
import numpy as np
from halfseen import RobustClassifier, RobustLPClassifier, RobustPerceptronClassifier
from halfseen.plotting import RobustnessDisplay
from halfseen.robust import attack
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

plt.style.use("tableau-colorblind10")
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"}).to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
usual = make_pipeline(MaxAbsScaler(), LogisticRegression(C=10, max_iter=1000)).fit(X_train, y_train)


def attacked(pipeline, X, y, taken):
    """Return the accuracy of a logistic regression after the worst deletions of so many attributes."""
    scaler, logistic = pipeline
    side = np.where(y == logistic.classes_[1], 1, -1)
    parts = side[:, None] * scaler.transform(X) * logistic.coef_[0]
    kept = np.sort(parts, axis=1)[:, : parts.shape[1] - taken]  # the parts that help most go first
    lost = np.sort(parts, axis=1)[:, parts.shape[1] - taken :]
    return np.mean(kept.sum(axis=1) + np.minimum(lost, 0).sum(axis=1) + side * logistic.intercept_[0] > 0)


for taken in (0, 1, 3):
    print(f"logistic regression, {taken} taken: {100 * attacked(usual, X_test, y_test, taken):.1f} % right")

# %%
# Prepared
# --------
# ``threat`` is the number of measurements that may be taken from each row. ``RobustClassifier`` learns a
# curve of each, and a lost one counts as its mean. The picture also shows the other learners of the
# package; with ``threat=0`` the robust linear program minimises the plain hinge loss.

models = {
    "unprepared": RobustLPClassifier(threat=0),
    "robust linear program": RobustLPClassifier(threat=3),
    "robust Perceptron": RobustPerceptronClassifier(threat=3, random_state=0),
    "RobustClassifier": RobustClassifier(threat=3, random_state=0),
}
threats = np.arange(9)
figure, ax = plt.subplots(layout="constrained")
errors = [1 - attacked(usual, X_test, y_test, taken) for taken in threats]
ax.plot(threats, errors, "s:", markersize=4, label="logistic regression")
for model in models.values():
    model.fit(X_train, y_train)
RobustnessDisplay.from_estimator(models, X_test, y_test, threats=threats, ax=ax)
ax.set(
    xlabel="measurements taken from each row, the worst ones",
    ylabel="share of rows misclassified",
    ylim=(0, 1),
)
for name, model in models.items():
    none, three = (100 * model.attacked_score(X_test, y_test, threat=taken) for taken in (0, 3))
    print(f"{name}: {none:.1f} % right, {three:.1f} % with the worst three taken")
print(f"always benign: {100 * np.mean(y_test == 'benign'):.1f} % right")

# %%
# By chance, not by malice
# ------------------------
# Sensors rarely fail in the worst way. If as many are lost by chance, what is it worth to be prepared?

for name in ("unprepared", "RobustClassifier"):
    right = [100 * attack(models[name], X_test, y_test, threat=t, kind="random").score for t in (0, 3, 8, 15)]
    print(f"{name}: " + ", ".join(f"{r:.1f} %" for r in right) + " right with 0, 3, 8 and 15 lost by chance")

# %%
# Unprepared, both usual models are right for 96 % of complete rows, and for 64 % once the worst three are
# taken: hardly better than to say "benign" always. RobustClassifier is right for 96 % of complete rows too,
# and for 83 % with three taken. With five taken it still has 72 %, with eight nothing helps. If half of all
# are lost by chance, being prepared saves 29 points.
#
# When not: if failures are repaired within the hour. An unprepared linear model has one weight for each
# measurement, and is easier to explain than curves.
