"""
Say what is unseen, and get a learner
=====================================

You have a table, and one of these troubles: every value costs money, cells are empty, or sensors will fail
later. You do not want to read papers to find the method's name. Say what is unseen, and get a suggestion, its
reason, and an alternative.
"""

# %%
# Four situations
# ---------------
# The same biopsies of breast tumours that ship with scikit-learn: thirty measurements, two classes.

import matplotlib.pyplot as plt
import numpy as np
from halfseen import RobustLPClassifier, suggest
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

plt.style.use("tableau-colorblind10")
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
hidden = np.random.default_rng(0).random(X.shape) < 0.5
holes_train, holes_test, _, _ = train_test_split(
    np.where(hidden, np.nan, X), y, test_size=0.5, random_state=0, stratify=y
)
situations = {
    "everything seen": (suggest(X_train, y_train), X_train, X_test),
    "half of the cells empty": (suggest(holes_train, y_train), holes_train, holes_test),
    "three reads of each row": (suggest(X_train, y_train, budget=3), X_train, X_test),
    "any three values lost later": (suggest(X_train, y_train, threat=3), X_train, X_test),
}
for situation, (suggestion, _, _) in situations.items():
    print(f"{situation.capitalize()}. {suggestion}.\n")

# %%
# ``suggestion.estimator`` is an ordinary estimator, not fitted yet. Where nothing is unseen it is one of
# scikit-learn: there is nothing to gain then.

for situation, (suggestion, _, _) in situations.items():
    print(f"{situation}: {type(suggestion.estimator).__name__}, {dict(suggestion.settings)}")

# %%
# Is it any good?
# ---------------
# We compare each suggestion with the usual way. For three reads that is three columns drawn by lot, the same
# of each row (mean of ten draws). For lost values the usual way is a linear model of hinge losses that is
# not prepared. Both are attacked: in each row the three values that hurt most become 0.

usual = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1000))
rng = np.random.default_rng(0)
lots = [rng.permutation(30)[:3] for _ in range(10)]
plain = RobustLPClassifier(threat=0).fit(X_train, y_train)
right = {
    "everything seen": usual.fit(X_train, y_train).score(X_test, y_test),
    "half of the cells empty": usual.fit(holes_train, y_train).score(holes_test, y_test),
    "three reads of each row": np.mean(
        [usual.fit(X_train[:, lot], y_train).score(X_test[:, lot], y_test) for lot in lots]
    ),
    "any three values lost later": plain.attacked_score(X_test, y_test, threat=3),
}
ours = {}
for situation, (suggestion, rows, new) in situations.items():
    model = suggestion.estimator
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(rows, y_train)
    ours[situation] = model.attacked_score(new, y_test) if "lost" in situation else model.score(new, y_test)

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for side, (name, scores) in enumerate((("suggested", ours), ("otherwise", right))):
    wrong = [100 * (1 - score) for score in scores.values()]
    hatch = "//" if side else None
    bars = ax.barh(np.arange(4) + 0.38 * side, wrong, 0.36, label=name, hatch=hatch, edgecolor="white")
    ax.bar_label(bars, fmt="%.1f", padding=3)
    print(name, {situation: f"{error:.1f} %" for situation, error in zip(scores, wrong, strict=True)})
print(f"always the larger class: {100 * np.mean(y_test == 0):.1f} % wrong")
ax.set_yticks(np.arange(4) + 0.19, ours)
ax.invert_yaxis()
ax.set(xlabel="test rows misclassified (%)", xlim=(0, 45))
ax.legend(frameon=False, loc="upper right")

# %%
# Two parameters are worth knowing. ``tune=5`` lets a learner choose its own parameters by cross-validation in
# ``fit``; suggestions set it where the learner needs it, and ``method="karma"`` of
# :class:`~halfseen.IncompleteClassifier` takes the alternative.

# %%
# Where everything is seen the suggestion loses: ridge regression on curves is wrong for 5.3 % of the rows,
# logistic regression for 2.1 %. With half of the cells empty both are wrong for 6.0 %. With three reads of
# each row the suggestion nearly halves the error of three fixed columns, and under attack it halves that of
# an unprepared machine.
#
# When not: where nothing is unseen, or little. Then take what you know, and cross-validate.
