"""
Three measurements of ten: what reading less costs
==================================================

A clinic wants to predict how far diabetes will have advanced after a year. It can measure ten things of each
patient, but has no time for all ten. The learner picks three of them for each patient, before it sees
anything; they need not be the same for everybody. How much worse does the prediction get?
"""

# %%
# Reading k of ten
# ----------------
# :class:`~halfseen.BudgetedRegressor` is fitted like any regressor of scikit-learn, but opens only ``budget``
# cells of each training row. Different patients show different cells, so every pair of measurements is seen
# together in somebody. From that it learns how all ten are related to the target. The ``budget`` is for
# training; the model predicts new patients from their known values, here from all ten.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from halfseen import BudgetedRegressor, DataWarning
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import ShuffleSplit

plt.style.use("tableau-colorblind10")
X, y = load_diabetes(return_X_y=True)
splits = list(ShuffleSplit(5, test_size=0.33, random_state=0).split(X))
train, test = splits[0]

model = BudgetedRegressor(budget=3, random_state=0).fit(X[train], y[train])
print(
    f"{model.distinct_} of {X[train].size} cells read, R2 on new patients {model.score(X[test], y[test]):.2f}"
)
print(model.suggestion_)

# %%
# From two reads to ten
# ---------------------
# Two references. The first is what most studies do: fix k measurements for everybody, here k drawn by lot,
# and fit a ridge regression to them. The second reads everything. All are tested on the same five splits.


def miss(model, columns, train, test):
    """Return the typical error, in units of the target."""
    predicted = model.fit(X[train][:, columns], y[train]).predict(X[test][:, columns])
    return np.sqrt(np.mean((predicted - y[test]) ** 2))


every, ridge = np.arange(10), RidgeCV(np.logspace(-3, 3, 13))
rng = np.random.default_rng(0)
reads = np.arange(2, 11)
# Two reads of 296 patients are so few that the learner warns: it may be no better than the mean.
warnings.filterwarnings("ignore", "its own test cannot distinguish", DataWarning)
chosen = [
    [miss(BudgetedRegressor(budget=k, random_state=0), every, *split) for split in splits] for k in reads
]
fixed = [[miss(ridge, rng.permutation(10)[:k], *split) for split in splits] for k in reads]
full = np.mean([miss(ridge, every, *split) for split in splits])
constant = np.mean([np.std(y[test]) for _, test in splits])

figure, ax = plt.subplots(layout="constrained")
for name, errors in (("k by lot, the same for everybody", fixed), ("k that the learner picks", chosen)):
    ax.errorbar(reads, np.mean(errors, axis=1), np.std(errors, axis=1), fmt="o-", capsize=3, label=name)
ax.axhline(full, color="black", linestyle="--", label="ridge, all ten measured")
ax.axhline(constant, color="gray", linestyle=":", label="guessing the mean")
ax.set(xlabel="measurements made of each patient in training", ylabel="typical error (units of the target)")
ax.set(ylim=(45, 88), xticks=reads)
ax.legend(frameon=False)

for k in (2, 3, 5, 10):
    a, b = np.mean(chosen[k - 2]), np.mean(fixed[k - 2])
    print(f"k = {k:2}: picked {a:.1f}, by lot {b:.1f}, all ten {full:.1f}, the mean {constant:.1f}")

# %%
# With two or three reads of each patient the error is a little above that of all ten. It is far below that of
# two or three fixed ones by lot, which usually leave out important measurements. The bars are one standard
# deviation over the splits. With six to eight fixed measurements the difference is at most two and a half
# units; from nine on there is none.
#
# When not: with one read of each patient, since nobody then shows two measurements together. If new patients
# cannot be measured fully either, a model of the few fixed measurements that they will have may be simpler.
