"""Turn model files into fitted estimators."""

import importlib
from typing import Any

import numpy as np
from sklearn.base import is_classifier

import halfseen
from halfseen._parameters import RENAMED

_FAMILIES = ("budget", "missing", "robust")


def estimator_classes() -> list[Any]:
    """Return the class of every public estimator, family by family."""
    homes = halfseen._HOMES
    return [
        getattr(importlib.import_module(f"halfseen.{home}"), name)
        for home in _FAMILIES
        for name in homes[home]
    ]


def estimator_of(model: Any) -> Any:
    """Return a model as a fitted estimator; see :meth:`halfseen.Model.estimator`."""
    texts = [name for name, categories in model.columns.items() if categories is not None]
    if texts:
        raise ValueError(
            f"columns of the model hold texts ({', '.join(texts[:10])}), and estimators see numbers only:"
            " predict with the model itself, or fit make_pipeline(halfseen.Encoder(), ...) anew"
        )
    for of in estimator_classes():
        if of._learner == model.learner and is_classifier(of()) == (model.classes is not None):
            return _fitted(of, model)
    kind = "predicts numbers" if model.classes is None else "predicts classes"
    raise ValueError(
        f"no estimator of halfseen is the learner '{model.learner}' that {kind}; predict with the model"
        " itself"
    )


def _fitted(of, model):
    given = {RENAMED.get(name, name): _value(value) for name, value in model.params.items()}
    given |= {name: value for name, value in model.declared().items() if value and name not in given}
    known = of._get_param_names()
    estimator = of(**{name: value for name, value in given.items() if name in known})
    names = list(model.columns)
    estimator.n_features_in_ = len(names)
    if names != [f"x{j}" for j in range(len(names))]:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    if model.classes is not None:
        estimator.classes_ = model.classes
    estimator._keep(model._model, quiet=True)
    return estimator


def _value(value):
    return None if value == "auto" else value
