"""Define the package's exceptions."""

from typing import Any, NamedTuple


class BudgetSpent(RuntimeError):
    """The total budget does not pay for another example, including the reads of open queries.

    ``ask`` and ``ask_observed`` raise it and ask nothing. Open queries can still be answered; forgetting one
    frees its reads.
    """


class TooMuchMemory(MemoryError, ValueError):
    """A fit would take more memory than it may, and was refused before it took any.

    The message says how much it needs and what makes it less; ``halfseen.set_memory_limit`` allows more.
    """


class RowProblem(NamedTuple):
    """A row of answers to look at, and the reason.

    Attributes
    ----------
    row : object
        The row's label in the index of a pandas frame; its position from 0 in other frames, and where labels
        are not unique.
    subject : str
        Subject that the row names.
    problem : str
        Reason, with the remedy.
    """

    row: Any
    subject: str
    problem: str

    def __str__(self) -> str:
        """Return the row, the subject and the problem."""
        subject = self.subject if len(self.subject) <= 60 else f"{self.subject[:60]}..."
        return f"row {self.row}, subject {subject!r}: {self.problem}"


class RefusedRows(ValueError):
    """Rows of answers were refused, and nothing of the frame was stored.

    Attributes
    ----------
    refused : list of RowProblem
        Every row that was refused.
    """

    def __init__(self, text: str, refused: list[RowProblem]) -> None:
        super().__init__(text, refused)
        self.refused = refused

    def __str__(self) -> str:
        """Return the number of rows and the first problems."""
        return str(self.args[0])


class StudyFileError(OSError, ValueError):
    """The file of a study cannot be read or written, is damaged, or is not a study.

    The study keeps all that was stored before, and nothing of the call.
    """
