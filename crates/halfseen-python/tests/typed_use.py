"""Use the package as typed programs do: mypy checks this file by all its rules, and nothing runs it.

Where a comment says that a line is ignored, mypy must find it wrong: an ignored line without an error is one.
"""

from pathlib import Path

import numpy as np
from halfseen import (
    AERRClassifier,
    AERRRegressor,
    Encoder,
    FIMLClassifier,
    FIMLRegressor,
    KARMAClassifier,
    Learner,
    Model,
    Query,
    Study,
    load,
)
from halfseen.robust import RobustLPClassifier, attack, certify
from halfseen.study import Told
from numpy.typing import NDArray

X: NDArray[np.float64] = np.zeros((10, 3))
y: NDArray[np.float64] = np.zeros(10)


def collecting() -> float:
    """Fit, ask and tell."""
    model: AERRRegressor = AERRRegressor(budget=2, step="1.8x", random_state=0).fit(X, y)
    AERRRegressor(budget=2.5)  # type: ignore[arg-type]
    AERRRegressor(budgets=2)  # type: ignore[call-arg]
    AERRRegressor(2)  # type: ignore[call-arg]
    AERRRegressor(step_rule="fast")  # type: ignore[arg-type]
    learner: Learner = model.start(["age", "weight", "pressure"], target=(50.0, 10.0))
    query: Query = learner.ask()
    learned: bool = learner.tell(query, {"age": 3.0}, 1.0)
    learner.tell("age", [3.0], 1.0)  # type: ignore[arg-type]
    AERRClassifier(known=["age", 2], groups={"blood": ["sodium", "potassium"]}).partial_fit(X, y, [0, 1])
    return float(model.reads_) if learned else model.predict(X).sum()


def kept() -> float:
    """Say how sure predictions are."""
    model: FIMLRegressor = FIMLRegressor(passive="all", deviations=20, n_jobs=2).fit(X, y)
    FIMLRegressor(link="cauchit")  # type: ignore[arg-type]
    model.predict_interval(X, level="high")  # type: ignore[arg-type]
    sure: NDArray[np.float64] = FIMLClassifier(link="probit").fit(X, y).predict_proba(X)
    return float(model.predict_interval(X, 0.5)[0, 1] + model.coef_errors_.max() + sure.max())


def holes() -> list[str]:
    """Encode and predict."""
    karma = KARMAClassifier(gamma=3, loss="hinge", n_jobs=-1, verbose=lambda done, total: None).fit(X, y)
    KARMAClassifier(loss="absolute")  # type: ignore[arg-type]
    karma.decision_function(X).argmax()
    names: NDArray[np.str_] = Encoder().fit(X).get_feature_names_out()
    return [str(name) for name in names]


def vanishing(path: Path) -> tuple[NDArray[np.float64], float]:
    """Attack, save and load."""
    robust = RobustLPClassifier(threat=2, costs="mi").fit(X, y)
    attacked: float = attack(robust, X, y, kind="greedy").score
    attack(robust, X, y, kind=3)  # type: ignore[arg-type]
    model: Model = load(path)
    model.save(str(path))
    weights, intercept = model.weights()
    return certify(robust, X).certified, attacked + weights["age"] + intercept


def studying(path: Path) -> int:
    """Collect data over weeks."""
    with Study.create(path, "attributes.csv", "y", budget=2, unasked="refuse", random_state=3) as study:
        asks = study.next(["p1"], wave="w1")
        Study.create(path, "attributes.csv", "y", unasked="never")  # type: ignore[arg-type]
        study.amend("p1", "y", 3.0)  # type: ignore[call-arg]
        told: Told = study.tell(asks, source="lab", check=True)
        left: float | None = study.status(fit=False).reads.left
        model: Model = study.model()
        model.save(path)
        Study("http://127.0.0.1:8710", token=b"hs_")  # type: ignore[arg-type]
        assert Study("http://127.0.0.1:8710", token="hs_").who == study.who
        return told.stored + len(told.refused[0].problem) + int(left or 0) + len(study.check())
