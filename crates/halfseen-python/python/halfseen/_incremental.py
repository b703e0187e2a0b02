"""Define the base of estimators that learn from batches."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from halfseen import _types as t
from halfseen._estimator import Estimator
from halfseen._parameters import progress_of, refusing


class Incremental(Estimator):
    """Learn from batches of examples, in their order.

    A subclass defines the training of its learner (``_teach``) and the current model (``_so_far``).
    """

    # True to update the model at once after an error or an interrupt.
    _tells_before_errors = True
    _teach: Any
    _so_far: Any
    learner_: Any

    def _started_before(self):
        return getattr(self, "learner_", None) is not None

    def _partial_fit(self, X, y, classes=None):
        first = not self._started_before()
        named = getattr(y, "name", None)
        X, y = self._checked(X, y, reset=first, at_least=1)
        targets, labels = self._batch(y, classes, first)
        try:
            with progress_of(self) as progress, refusing(self):
                self._teach(self._table(X), targets, labels, named, progress)
        except BaseException:
            # Reads before the error were paid for, and learned from.
            if self._tells_before_errors and self._started_before():
                self._keep(self._so_far(), quiet=True)
            raise
        self._keep(self._so_far())
        return self

    def _batch(self, y, classes, first):
        """Return the targets of a batch for the library."""
        return self._targets(y)


class IncrementalClassifier(Incremental):
    """Learn from batches that need not contain every class."""

    _multi_class: bool
    classes_: t.Array

    def _take_classes(self, classes):
        """Store the labels."""
        found = unique_labels(classes)
        if len(found) < 2 or (len(found) > 2 and not self._multi_class):
            name, told = type(self).__name__, "classes" if self._multi_class else "two classes"
            raise ValueError(f"{name} tells {told} apart, and classes holds {len(found)}: {found.tolist()}")
        self.classes_ = found

    def _batch(self, y, classes, first):
        """Return the targets of a batch for the library: indices of classes, and the classes."""
        check_classification_targets(y)
        if classes is None and not hasattr(self, "classes_"):
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if first and classes is not None:
            self._take_classes(classes)
        elif classes is not None and not np.array_equal(unique_labels(classes), self.classes_):
            raise ValueError(
                f"classes is {list(classes)}, and was {self.classes_.tolist()} in the first call"
            )
        at = np.full(len(y), np.nan)
        for code, label in enumerate(self.classes_):
            at[y == label] = code
        unknown = np.isnan(at)
        if np.any(unknown):
            raise ValueError(f"y holds {y[unknown].tolist()[0]!r}, and classes are {self.classes_.tolist()}")
        return at, self.classes_.tolist()
