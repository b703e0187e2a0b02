"""Say how far a learner is that asks: its report, open queries, what is left to spend, what was read."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen import _core
from halfseen._query import KeptRead, OpenQuery, Query, Read, Remaining, number


class Status:
    """What a learner says of itself; see :class:`halfseen.Learner`.

    Attributes
    ----------
    attributes : tuple of str
        The names of all attributes.
    """

    attributes: tuple[str, ...]
    _estimator: Any
    _learner: _core.Learner
    _panels: list[tuple[str, list[int]]]
    _sampled: int

    def export(self) -> list[KeptRead]:
        """Return what was read, where reads are kept.

        Returns
        -------
        reads : list of KeptRead
            Number of the query, attribute, value or reason, and target, in the order in which examples were
            closed; then what was told of open queries. ``pandas.DataFrame`` makes a frame of it.

        Raises
        ------
        ValueError
            Unless :meth:`set_keep_reads` was called before.
        """
        classes = getattr(self._estimator, "classes_", None)
        labels = None if classes is None else classes.tolist()

        def label(code):
            return code if code is None or labels is None else labels[int(code)]

        rows = self._learner.export()
        return [KeptRead(*row[:4], label(row[4])) for row in rows]

    @property
    def open(self) -> list[OpenQuery]:
        """The open queries, oldest first, as a list of :class:`OpenQuery`."""
        return [
            OpenQuery(self._named(query), asked, closed, tuple(missing), target)
            for query, asked, closed, missing, target in self._learner.open()
        ]

    @property
    def remaining(self) -> Remaining:
        """The reads and the money that are left if all open queries are answered."""
        return Remaining(*self._learner.remaining())

    @property
    def keeps_reads(self) -> bool:
        """Whether what is read from now on is kept for :meth:`export`."""
        return self._learner.settings[0]

    @property
    def strict(self) -> bool:
        """Whether values outside their bounds are refused."""
        return self._learner.settings[1]

    @property
    def total_cost(self) -> float | None:
        """What all reads may cost together; None is no limit."""
        return self._learner.settings[2]

    def set_total_cost(self, total: float | None) -> None:
        """Set what all reads may cost together, at the estimator's ``prices`` (1 each without any).

        Queries that it does not pay for are refused from now on, open queries counted.

        Parameters
        ----------
        total : float or None
            The cost; None: no limit.

        Raises
        ------
        ValueError
            If it is negative or not finite.
        """
        keep, strict, _ = self._learner.settings
        self._learner.set(keep, strict, None if total is None else number(total, "total_cost"))

    def set_keep_reads(self, keep: bool = True) -> None:
        """Say whether what is read from now on is kept for :meth:`export`.

        Parameters
        ----------
        keep : bool, default True
            False drops what was kept.
        """
        _, strict, cost = self._learner.settings
        self._learner.set(bool(keep), strict, cost)

    def set_strict(self, strict: bool = True) -> None:
        """Say whether values outside the estimator's ``bounds`` are refused.

        Parameters
        ----------
        strict : bool, default True
            False: they are taken and counted.
        """
        keep, _, cost = self._learner.settings
        self._learner.set(keep, bool(strict), cost)

    @property
    def report(self) -> dict[str, Any]:
        """What was read, told and refused so far, as a dict."""
        return json.loads(self._learner.report())

    @property
    def attributes_read(self) -> NDArray[Any]:
        """How often each attribute was read, (n_attributes,)."""
        counts = np.zeros(len(self.attributes), dtype=np.int64)
        for (_, columns), count in zip(self._panels, self.report.get("panel_reads", ()), strict=False):
            counts[columns] = count
        return counts

    def _named(self, query):
        """Return a query of the library with the names of what it asks for."""
        attributes = tuple(self._learner.attributes_of(query))
        free = {self.attributes[column] for _, columns in self._panels[self._sampled :] for column in columns}
        reads = tuple(Read(self._panels[panel][0], role) for panel, role in query.reads)
        return Query(query, attributes, tuple(name for name in attributes if name in free), reads)
