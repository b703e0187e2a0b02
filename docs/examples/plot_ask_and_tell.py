"""
Learn while collecting: what to look at next
============================================

A clinic wants to estimate how a disease will progress within a year. Each measurement takes a nurse some
time, so of each patient only four of ten are to be made. Which ones is decided before anything of the
patient is seen.
"""

# %%
# The patients
# ------------
# 442 patients with ten measurements each ship with scikit-learn. Half of them stay apart as a test.

import io
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from halfseen import AERRRegressor, DataWarning, Learner, Query
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

X, y = load_diabetes(return_X_y=True, as_frame=True)
X = X / X.std()
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
full = Ridge().fit(X_train, y_train).score(X_test, y_test)
print(f"all ten measurements of {len(X_train)} patients: R2 = {full:.2f}")

# %%
# A nurse
# -------
# The learner never holds the table. It asks, and somebody answers: here a function that counts what it did.
# Tell it what is known of the target beforehand, its mean and deviation, and as ``horizon`` how many patients
# there are.

work = 0


def nurse(patient, measurements):
    """Make the measurements that are asked for, and no others."""
    global work
    work += len(measurements)
    return {name: X_train.iloc[patient][name] for name in measurements}


# From so few patients the learner warns that it is hardly better than a constant, which is no news here.
warnings.filterwarnings("ignore", "its own test cannot distinguish", DataWarning)
estimator = AERRRegressor(budget=4, horizon=len(X_train), random_state=0)
learner = estimator.start(list(X_train.columns), target=(150, 80))
for patient in range(len(X_train)):
    query = learner.ask()
    learner.tell(query, nurse(patient, query.attributes), target=y_train.iloc[patient])

model = learner.model()
print(f"{work} measurements of {X_train.size}: R2 = {model.score(X_test, y_test):.2f}")
print("billed:", model.distinct_, "by attribute:", model.attributes_read_.tolist())

# %%
# Answers that take days
# ----------------------
# A query is decided before its patient comes, so it can be printed, sent and answered late. A study that is
# stopped and taken up again goes on with the same bits, open queries included.

learner = estimator.start(list(X_train.columns), target=(150, 80))
letters = [learner.ask().to_json() for _ in range(3)]
paused = io.StringIO(learner.to_json())

learner = Learner.from_json(paused.read())
for patient in (2, 0):
    query = Query.from_json(letters[patient])
    learner.tell(query, nurse(patient, query.attributes), target=y_train.iloc[patient])
refused = Query.from_json(letters[1])
learner.tell(refused, dict.fromkeys(refused.attributes), target=y_train.iloc[1])
print(f"told: {learner.report['examples']}, refused: {learner.report['skipped']}")

# %%
# What the money buys
# -------------------
# With the rows at hand ``partial_fit`` does the same, batch after batch. More patients with fewer
# measurements each, or fewer patients with more? Twenty random orders of the patients say what each is worth.

bill, scores = {}, {}
for budget in (2, 4, 10):
    bill[budget], scores[budget] = [], []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(X_train))
        model = AERRRegressor(budget=budget, horizon=len(X_train), random_state=seed)
        points = []
        for batch in np.array_split(order, 8):
            model.partial_fit(X_train.iloc[batch], y_train.iloc[batch])
            points.append((model.distinct_, model.score(X_test, y_test)))
        bill[budget].append([point[0] for point in points])
        scores[budget].append([point[1] for point in points])

figure, axes = plt.subplots()
for budget in bill:
    axes.plot(
        np.mean(bill[budget], axis=0),
        np.mean(scores[budget], axis=0),
        "o-",
        label=f"{budget} of each patient",
    )
axes.axhline(full, color="gray", linestyle=":", label="ridge on all of them")
axes.set(xlabel="measurements made", ylabel="R2 on the test half", xscale="log", ylim=(0, 0.6))
axes.legend()
plt.close(figure)
