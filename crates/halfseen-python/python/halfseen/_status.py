"""Report the progress of a learner that asks: report, open queries, budget left and reads."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen import _core
from halfseen._query import KeptRead, OpenQuery, Query, Read, Remaining, number


class Status:
    """Status of a learner; see :class:`halfseen.Learner`.

    Attributes
    ----------
    attributes : tuple of str
        Names of all attributes.
    """

    attributes: tuple[str, ...]
    _estimator: Any
    _learner: _core.Learner
    _panels: list[tuple[str, list[int]]]
    _sampled: int

    def export(self) -> list[KeptRead]:
        """Return all reads, if reads are kept.

        Returns
        -------
        reads : list of KeptRead
            Number of the query, attribute, value or reason, and target, in the order in which examples were
            closed; then the answers so far to open queries. ``pandas.DataFrame`` accepts the list.

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
        """Open queries, oldest first, as a list of :class:`OpenQuery`."""
        return [
            OpenQuery(self._named(query), asked, closed, tuple(missing), target)
            for query, asked, closed, missing, target in self._learner.open()
        ]

    @property
    def remaining(self) -> Remaining:
        """Reads and money left if all open queries are answered."""
        return Remaining(*self._learner.remaining())

    @property
    def keeps_reads(self) -> bool:
        """True if further reads are kept for :meth:`export`."""
        return self._learner.settings[0]

    @property
    def strict(self) -> bool:
        """True if values outside their bounds are refused."""
        return self._learner.settings[1]

    @property
    def total_cost(self) -> float | None:
        """Limit on the cost of all reads; None means no limit."""
        return self._learner.settings[2]

    def set_total_cost(self, total: float | None) -> None:
        """Set the limit on the cost of all reads, at the estimator's ``prices`` (1 each without any).

        Further queries beyond it are refused; open queries count.

        Parameters
        ----------
        total : float or None
            The limit; None: no limit.

        Raises
        ------
        ValueError
            If it is negative or not finite.
        """
        keep, strict, _ = self._learner.settings
        self._learner.set(keep, strict, None if total is None else number(total, "total_cost"))

    def set_keep_reads(self, keep: bool = True) -> None:
        """Keep further reads for :meth:`export`, or stop it.

        Parameters
        ----------
        keep : bool, default True
            False deletes the reads kept so far.
        """
        _, strict, cost = self._learner.settings
        self._learner.set(bool(keep), strict, cost)

    def set_strict(self, strict: bool = True) -> None:
        """Refuse values outside the estimator's ``bounds``, or accept them.

        Parameters
        ----------
        strict : bool, default True
            False accepts and counts them.
        """
        keep, _, cost = self._learner.settings
        self._learner.set(keep, bool(strict), cost)

    @property
    def report(self) -> dict[str, Any]:
        """Reads, answers and refusals so far, as a dict."""
        return json.loads(self._learner.report())

    @property
    def attributes_read(self) -> NDArray[Any]:
        """Number of reads of each attribute, (n_attributes,)."""
        counts = np.zeros(len(self.attributes), dtype=np.int64)
        for (_, columns), count in zip(self._panels, self.report.get("panel_reads", ()), strict=False):
            counts[columns] = count
        return counts

    def _named(self, query):
        """Return a query of the library with the names of its attributes."""
        attributes = tuple(self._learner.attributes_of(query))
        free = {self.attributes[column] for _, columns in self._panels[self._sampled :] for column in columns}
        reads = tuple(Read(self._panels[panel][0], role) for panel, role in query.reads)
        return Query(query, attributes, tuple(name for name in attributes if name in free), reads)
