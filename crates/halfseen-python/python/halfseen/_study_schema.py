"""Change the schema of a study: attributes that come later, and those that are asked no more."""

import json
from typing import TYPE_CHECKING, Any

from halfseen import _core
from halfseen import _study_frames as frames
from halfseen._study_url import ServedStudy

if TYPE_CHECKING:
    from pandas import DataFrame as _DataFrame  # private: without the types of pandas it is none at run time


class StudySchema:
    """Schema of a study; see :class:`halfseen.Study`.

    Attributes
    ----------
    who : str
        Name that the audit has for you.
    attributes : tuple of str
        Names of the attributes.
    target : str
        Name of the target.
    """

    who: str
    attributes: tuple[str, ...]
    target: str
    _study: _core.Study | ServedStudy
    _kinds: dict[str, Any]
    _known: set[str]

    @property
    def schema(self) -> "_DataFrame":
        """Attributes and target, as ``create`` takes them; ``retired`` marks retired attributes."""
        return frames.frame_of_schema(self._study.schema())

    def add_attributes(self, schema: Any, *, reason: str) -> list[str]:
        """Add attributes, which later asks may name; for learners that keep their reads, such as fiml.

        Parameters
        ----------
        schema : frame, str or path-like
            As :meth:`create` takes it: the new attributes alone, or the whole schema with rows added. Rows as
            the study has them change nothing; one that was retired and is not any more is asked again.
        reason : str
            Reason, for the audit.

        Returns
        -------
        names : list of str
            The attributes that were added.

        Raises
        ------
        ValueError
            If none is new, a row differs from that of an attribute which is there, the learner takes a step
            for each answer, or the reason is empty.
        """
        added = self._study.add(frames.schema_text(schema), reason_of(reason), self.who)
        self._read_schema()
        return added

    def retire(self, attribute: str, *, reason: str) -> None:
        """Ask an attribute no more; its values stay, and the learner keeps learning from them.

        Open asks want it no more, and its price in them is paid back. A value that comes later counts as one
        that nobody asked for. :meth:`add_attributes` with its row asks for it again.

        Parameters
        ----------
        attribute : str
            The attribute.
        reason : str
            Reason, for the audit.

        Raises
        ------
        ValueError
            If there is no such attribute, or it is the target or was retired before. If too few are left to
            ask for, the learner takes a step for each answer, or the reason is empty.
        """
        self._study.retire(attribute, reason_of(reason), self.who)

    def _read_schema(self) -> dict[str, Any]:
        """Take over the schema as it is; return the setup."""
        setup: dict[str, Any] = json.loads(self._study.setup())
        schema = setup["schema"]
        self.attributes = tuple(of["name"] for of in schema["attributes"])
        self.target = schema["target"]["name"]
        self._known = {of["name"] for of in schema["attributes"] if of.get("known")}
        self._kinds = {of["name"]: of["kind"] for of in [*schema["attributes"], schema["target"]]}
        return setup


def reason_of(reason: str) -> str:
    """Return a reason.

    Raises
    ------
    ValueError
        If it is empty.
    """
    if not isinstance(reason, str) or not reason.strip():
        raise ValueError("a reason is needed, for the audit; give reason='...'")
    return reason
