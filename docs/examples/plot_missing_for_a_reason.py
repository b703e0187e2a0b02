"""
Notice when cells are missing for a reason
==========================================

In a ward doctors order a blood test when a patient looks ill. The empty cells of such a table are not an
accident: an empty cell is the opinion of a doctor. A model that learns from it may be right as long as
doctors go on as before, and wrong as soon as the test becomes routine.
"""

# %%
# Two tables of the same patients
# -------------------------------
# The 442 patients of scikit-learn's diabetes data. In the first table 40 % of the blood values are missing by
# chance. In the second five of them are missing together, mostly of those who turn out well.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from halfseen import DataWarning, IncompleteRegressor
from halfseen.plotting import MissingnessDisplay
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline

plt.style.use("tableau-colorblind10")
names = {"s1": "cholesterol", "s2": "LDL", "s3": "HDL", "s4": "ratio", "s5": "triglycerides", "s6": "glucose"}
X, y = load_diabetes(return_X_y=True, as_frame=True)
X, y = X.rename(columns=names), y.to_numpy()
blood = list(names.values())
rng = np.random.default_rng(0)
by_chance = X.copy()
by_chance[blood] = X[blood].mask(rng.random((len(X), 6)) < 0.4)
looks_well = y + rng.normal(0, 30, len(y)) < 140
for_a_reason = X.copy()
for_a_reason.loc[looks_well, blood[:5]] = np.nan

figure, axes = plt.subplots(1, 2, figsize=(9, 5.6), sharey=True, layout="constrained")
for ax, title, table in zip(axes, ("by chance", "for a reason"), (by_chance, for_a_reason), strict=True):
    MissingnessDisplay.from_data(table, ax=ax)
    ax.set(title=title, ylabel="patients, by pattern of missing cells", xlabel="")
axes[0].get_legend().remove()
axes[1].set_ylabel("")

# %%
# Each band is a group of patients who lack the same cells. By chance there are many such groups, and no two
# columns are missing together. On the right there are two: those who had the test and those who did not.

# %%
# What the fit says
# -----------------
# Every estimator for rows with missing cells tests whether missingness is correlated with the target, and
# warns if it is.

for title, table in (("by chance", by_chance), ("for a reason", for_a_reason)):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        IncompleteRegressor(random_state=0).fit(table, y)
    print(f"{title}: {caught[0].message if caught else 'no remark'}")

# %%
# What it means
# -------------
# Three models learn from the second table. They are tested on patients of the same ward, and on patients of a
# ward where everybody gets the blood test.

models = {
    "random forest": RandomForestRegressor(min_samples_leaf=5, random_state=0),
    "means filled in, ridge": make_pipeline(SimpleImputer(), RidgeCV(np.logspace(-3, 3, 13))),
    "IncompleteRegressor": IncompleteRegressor(random_state=0),
}
warnings.filterwarnings("ignore", "missingness of", DataWarning)
errors = np.empty((len(models), 2, 3))
for split, (train, test) in enumerate(ShuffleSplit(3, test_size=0.4, random_state=0).split(X)):
    for at, model in enumerate(models.values()):
        model.fit(for_a_reason.iloc[train], y[train])
        for ward, rows in enumerate((for_a_reason, X)):
            errors[at, ward, split] = np.sqrt(np.mean((model.predict(rows.iloc[test]) - y[test]) ** 2))
means = errors.mean(axis=2)
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for ward, (title, hatch) in enumerate((("blood test as before", None), ("blood test of everybody", "//"))):
    bars = ax.bar(
        np.arange(3) + 0.4 * ward, means[:, ward], 0.38, label=title, hatch=hatch, edgecolor="white"
    )
    ax.bar_label(bars, fmt="%.0f", label_type="center", bbox={"color": "white", "pad": 1})
ax.axhline(y.std(), color="gray", linestyle=":")
ax.annotate("the mean's error", (2.6, y.std()), ha="right", va="bottom", color="gray")
ax.set_xticks(np.arange(3) + 0.2, models)
ax.set(ylabel="typical error (units of the target)", ylim=(0, 100))
ax.legend(frameon=False, loc="upper left", ncols=2)
for name, (before, after) in zip(models, means, strict=True):
    print(f"{name}: {before:.1f} in the same ward, {after:.1f} where everybody is tested")
print(f"guessing the mean: {y.std():.1f}")

# %%
# The forest uses an empty cell as a sign of health. In the same ward that is an advantage, and by far the
# least error of all. Where everybody is tested the sign is gone, and it is hardly better than the mean. The
# two others take no notice of emptiness: they are worse in the same ward, and no worse elsewhere. Between
# them ``IncompleteRegressor`` has somewhat less error than means that are filled in.
#
# The warning does not say which is right for you. It says that the question has to be asked.
#
# When not: if the model will be used in the same ward and under the same rules only. Then emptiness is
# information, and a forest that uses it is better.
