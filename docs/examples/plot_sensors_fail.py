"""
Prepare for attributes that vanish
==================================

A model that was learned from whole rows meets rows from which sensors dropped out, or somebody took something
away. If it leans on few attributes, their loss is its end. The robust estimators learn for the worst that may
be taken, and say of every prediction what it bears.
"""

# %%
# A model, and an adversary
# -------------------------
# Tumours of the breast, told by thirty measurements that ship with scikit-learn. The adversary takes the
# measurements of a patient whose loss hurts most; of a linear model they can be found exactly.

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from halfseen import FDROPClassifier, RobustLPClassifier, RobustPerceptronClassifier
from halfseen.robust import attack, certify
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"}).to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
plain = FDROPClassifier(threat=0).fit(X_train, y_train)
print(f"a support vector machine: {100 * plain.score(X_test, y_test):.1f} % right")
print(f"two measurements taken: {100 * plain.attacked_score(X_test, y_test, threat=2):.1f} % right")

# %%
# Prepared
# --------
# ``threat`` is what the adversary may take. Preparing costs a little while nothing is taken.

models = {
    "unprepared": plain,
    "FDROP": FDROPClassifier(threat=3),
    "robust LP": RobustLPClassifier(threat=3),
    "robust Perceptron": RobustPerceptronClassifier(threat=3, random_state=0),
}
threats = np.arange(9)
figure, ax = plt.subplots()
for name, model in models.items():
    model.fit(X_train, y_train)
    errors = [1 - attack(model, X_test, y_test, threat=threat).score for threat in threats]
    ax.plot(threats, errors, "o-", label=name)
    print(f"{name}: {100 * errors[0]:.1f} % wrong, {100 * errors[3]:.1f} % with three measurements taken")
ax.axvline(3, color="gray", linestyle=":")
ax.set(xlabel="measurements taken from each row", ylabel="share told wrong", ylim=(0, 1))
ax.legend()
plt.close(figure)

# %%
# What a single prediction bears
# ------------------------------
# A certificate is a proof for one row: no adversary with so much to spend changes this prediction. With it
# come the attributes whose loss would.

model = models["robust LP"]
certificates = certify(model, X_test)
for row in range(4):
    flips = X.columns[certificates.flips[row]]
    turns = f"without {', '.join(flips)} it turns" if len(flips) else "no loss whatever turns it"
    print(f"{certificates.prediction[row]}: certain up to {certificates.certified[row]:.0f}, {turns}")

weakest = np.argsort(certificates.certified, kind="stable")[:5]
print("look again at patients", X_test.index[weakest].tolist())

# %%
# Certified errors
# ----------------
# The share of rows that are wrong or may turn is a bound for every attack there is; here it is attained.

figure, ax = plt.subplots()
bound = [certificates.error(threat, y_test) for threat in threats]
ax.plot(threats, bound, "k-", label="certified: no attack does more")
for kind in ("exact", "greedy", "random", "noise"):
    errors = [1 - attack(model, X_test, y_test, threat=threat, kind=kind).score for threat in threats]
    ax.plot(threats, errors, "o--", markersize=3, label=kind)
ax.set(xlabel="measurements taken from each row", ylabel="share told wrong", ylim=(0, 1))
ax.legend()
plt.close(figure)

# %%
# Dear and cheap attributes
# -------------------------
# Some measurements are sure to be there, others are easily lost. ``costs`` says what each costs the
# adversary, and ``known`` what never vanishes.

costs = np.where(X.columns.str.startswith("mean"), 3.0, 1.0)
model = RobustLPClassifier(threat=4, costs=costs, known=["mean area"]).fit(X_train, y_train)
print(f"under attack: {100 * model.attacked_score(X_test, y_test):.1f} % right")
