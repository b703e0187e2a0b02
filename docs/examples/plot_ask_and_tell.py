"""
Ask for two values, get them next week: a learner that waits
============================================================

A clinic cannot hand over a table, since the table does not exist yet. A nurse can make four of ten
measurements of each patient. Somebody has to choose them before anything of the patient is known. The answers
come days later, in any order, and some never come.
"""

# %%
# Who asks, who answers
# ---------------------
# The 442 patients of scikit-learn's diabetes data play the world. The learner sees only the values that it
# asks for. A function plays the nurse, and counts her work.

import pickle
import warnings

import matplotlib.pyplot as plt
import numpy as np
from halfseen import DataWarning, FIMLRegressor
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split

plt.style.use("tableau-colorblind10")
warnings.filterwarnings("ignore", "its own test cannot distinguish", DataWarning)  # of the first few patients
X, y = load_diabetes(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
work = 0


def nurse(patient, measurements):
    """Make the measurements that are asked for, and no others."""
    global work
    work += len(measurements)
    return {name: X_train.iloc[patient][name] for name in measurements}


# %%
# One question after the other
# ----------------------------
# ``start`` needs the names of the attributes, and roughly the mean and the standard deviation of the target.
# ``ask`` says what to measure, ``tell`` takes the result. At any time, ``model`` is the model of all answers
# so far.


def miss(model):
    """Return the typical error on the test half, in units of the target."""
    return np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2))


learner = FIMLRegressor(budget=4, random_state=0).start(list(X.columns), target=(150, 80))
told, errors, whole = np.arange(20, len(X_train) + 1, 20), [], []
for patient in range(told[-1]):
    query = learner.ask()
    learner.tell(query, nurse(patient, query.attributes), target=y_train.iloc[patient])
    if patient + 1 in told:
        errors.append(miss(learner.model()))
        first = slice(0, patient + 1)
        whole.append(miss(RidgeCV(np.logspace(-3, 3, 13)).fit(X_train[first], y_train[first])))
print(f"the last question: {query}")
print(f"{work} measurements of {told[-1] * 10}: typical error {errors[-1]:.1f}")
print(f"all {told[-1] * 10}: {whole[-1]:.1f}; the mean: {y_test.std():.1f}")

# %%
# Answers that take days
# ----------------------
# Several questions may be open, and are answered in any order. A pickle of the learner and its questions
# continues with the same bits. A measurement that could not be made is None. (Answers that come in part, from
# several people, over weeks, are for a :class:`halfseen.Study`.)

learner = FIMLRegressor(budget=4, random_state=0).start(list(X.columns), target=(150, 80))
paused = pickle.dumps((learner, [learner.ask() for _ in range(3)]))

learner, queries = pickle.loads(paused)
for patient in (2, 0):
    query = queries[patient]
    learner.tell(query, nurse(patient, query.attributes), target=y_train.iloc[patient])
query = queries[1]
answers = nurse(1, query.attributes[1:]) | {query.attributes[0]: None}
learner.tell(query, answers, target=y_train.iloc[1])
print(f"answered: {learner.report['examples']}")

# %%
# What more patients bring
# ------------------------
# The error after each twenty patients, beside that of a ridge regression on all ten measurements of the same
# patients.

figure, ax = plt.subplots(layout="constrained")
ax.plot(told, errors, "o-", label="four measurements of each, as asked for")
ax.plot(told, whole, "s:", label="ridge, all ten of each")
ax.axhline(y_test.std(), color="gray", linestyle=":")
ax.annotate("guessing the mean", (told[-1], y_test.std()), ha="right", va="bottom", color="gray")
ax.set(xlabel="patients so far", ylabel="typical error (units of the target)", ylim=(45, 90))
ax.legend(frameon=False, loc="upper right")

# %%
# After forty patients, with four measurements each, the learner is hardly better than the mean: it has 160
# values, and 45 pairs of attributes to learn about. From a hundred patients on it is close to the ridge
# regression that has seen all ten. At the end there is almost no difference, at two fifths of the work.
#
# When not: if fewer than about a hundred patients will come. Then make all measurements of each of them, if
# they can bear it.
