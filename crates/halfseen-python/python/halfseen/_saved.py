"""Save what estimators hold of the extension as text, which every way of saving can take."""

from halfseen import _core
from halfseen._report import Report

#: Types with ``to_json`` and ``from_json``.
_HELD = (_core.Model, _core.Encoder, _core.Learner, _core.OnlineKarma)


class Saved:
    """Hold objects of the extension; a base before ``BaseEstimator``."""

    def __getstate__(self):
        """Return the attributes, with the objects of the extension as texts."""
        state = dict(super().__getstate__())
        held = {name: value for name, value in state.items() if type(value) in _HELD}
        texts = {name: [type(value).__name__, value.to_json()] for name, value in held.items()}
        rest = {name: value for name, value in state.items() if name not in held}
        plain = {name: dict(value) for name, value in rest.items() if isinstance(value, Report)}
        return {**rest, **plain, "_held": texts}

    def __setstate__(self, state):
        """Restore what :meth:`__getstate__` returned."""
        state = dict(state)
        texts = state.pop("_held", {})
        if "report_" in state:
            state["report_"] = Report(state["report_"])
        super().__setstate__(state)
        for name, (kind, text) in texts.items():
            setattr(self, name, getattr(_core, kind).from_json(text))
