"""
Which laboratory values are worth their price
=============================================

A study of diabetes pays its laboratory by the value. Weight and blood pressure cost next to nothing, a panel
of four blood fats costs twelve times as much. All values of one patient cost 27, and there is not enough
money for everybody. Buy everything of few patients? Only the cheap values, of all? Or let a learner decide,
patient by patient?
"""

# %%
# The price list
# --------------
# The prices are made up, the 442 patients are those of scikit-learn's diabetes data. Age and sex are known of
# everybody. The four fats are a panel: one needle, one price.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from halfseen import BudgetSpent, DataWarning, FIMLRegressor
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

plt.style.use("tableau-colorblind10")
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X = X.rename(columns={"s1": "tc", "s2": "ldl", "s3": "hdl", "s4": "tch", "s5": "ltg", "s6": "glucose"})
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=142, random_state=0)
panel = {"lipids": ["tc", "ldl", "hdl", "tch"]}
prices = {"bmi": 1, "bp": 1, "lipids": 12, "ltg": 9, "glucose": 4}

# %%
# Ask, fetch, tell
# ----------------
# The learner never holds the table. It asks for some values of the next patient; somebody fetches them, and
# tells them. ``max_cost`` limits the cost of one patient, ``total_cost`` that of all. The learner also gets
# the mean and the standard deviation of the target, as if they were known from an earlier study.


def collect(max_cost, money, seed):
    """Return the model that the money buys, how often each attribute was asked for, and the patients seen."""
    rules = {
        "max_cost": max_cost,
        "total_cost": money,
        "prices": prices,
        "groups": panel,
        "known": ["age", "sex"],
    }
    learner = FIMLRegressor(**rules, random_state=seed).start(list(X.columns), target=(150, 80))
    order = np.random.default_rng(seed).permutation(X_train.index)
    for patient in order:
        try:
            query = learner.ask()
        except BudgetSpent:
            break
        values = X_train.loc[patient, list(query.attributes)].to_dict()
        learner.tell(query, values, target=y_train[patient])
    model = learner.model()
    asked = dict(zip(learner.attributes, model.attributes_read_, strict=True))
    return model, asked, learner.report["examples"]


def miss(model, columns):
    """Return the typical error on the patients who were kept apart."""
    return np.sqrt(np.mean((model.predict(X_test[columns]) - y_test) ** 2))


money = 1500
model, asked, seen = collect(12, money, seed=0)
print(f"{money} of money reached {seen} of {len(X_train)} patients; values asked for:")
print({name: int(times) for name, times in asked.items() if times})

# %%
# Three ways to spend the money
# -----------------------------
# Everything of few patients, the two cheap values of all, or what the learner asks for, at most 14 a patient.
# Three random orders of the patients each.

warnings.filterwarnings("ignore", "its own test cannot distinguish", DataWarning)
moneys = np.array([750, 1500, 2500, 3500])
alphas = np.logspace(-2, 4, 13)
scaled = make_pipeline(StandardScaler(), RidgeCV(alphas))
everything, cheap = list(X.columns), ["age", "sex", "bmi", "bp"]
whole, chosen = [], []
for money in moneys:
    few = [np.random.default_rng(seed).permutation(X_train.index)[: money // 27] for seed in range(3)]
    whole.append(np.mean([miss(scaled.fit(X_train.loc[of], y_train[of]), everything) for of in few]))
    chosen.append(np.mean([miss(collect(14, money, seed)[0], everything) for seed in range(3)]))
two = miss(scaled.fit(X_train[cheap], y_train), cheap)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
names = ["bmi", "bp", "hdl", "ltg", "glucose"]
left.barh(names, [100 * asked[name] / seen for name in names])
left.set_yticks(names, ["bmi (1)", "blood pressure (1)", "four fats (12)", "ltg (9)", "glucose (4)"])
left.invert_yaxis()
left.set(xlabel="patients asked for it (%)", title="what the learner asked for (price)")
right.plot(moneys, chosen, "o-", label="what the learner asks for")
right.plot(moneys, whole, "s:", label="everything of few")
right.plot([2 * len(X_train)], [two], "^", label="bmi and pressure of all")
right.axhline(y_test.std(), color="gray", linestyle=":")
right.annotate("guessing the mean", (3500, y_test.std()), ha="right", va="bottom", color="gray")
right.set(xlabel="money spent at most", ylabel="typical error (units of the target)", ylim=(50, 85))
right.legend(frameon=False, loc="upper right")
for money, a, b in zip(moneys, chosen, whole, strict=True):
    print(f"{money}: the learner {a:.1f}, everything of {min(money // 27, len(X_train))} patients {b:.1f}")
print(f"{2 * len(X_train)}: bmi and blood pressure of all {two:.1f}; the mean {y_test.std():.1f}")

# %%
# On the left: at 12 a patient the learner asks two of three patients for the cheap values, and three or four
# of ten for each of the expensive ones. On the right: with 750 it is four units better than everything of 27
# patients; from 1500 on both are within one unit. But look at the triangle. Bmi and blood pressure of all 300
# patients cost 600, and are better than the learner with 750. Here the laboratory buys three units
# for four to six times the money. Nobody can know that without asking.
#
# When not: if you know beforehand which values matter, buy those. A learner that now and then asks for
# everything pays for finding out.
