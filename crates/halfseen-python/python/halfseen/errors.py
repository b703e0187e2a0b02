"""Define the package's exceptions."""


class BudgetSpent(RuntimeError):
    """The total budget does not pay for another example, including the reads of open queries.

    ``ask`` and ``ask_observed`` raise it and ask nothing. Open queries can still be answered; forgetting one
    frees its reads.
    """


class TooMuchMemory(MemoryError, ValueError):
    """A fit would take more memory than it may, and was refused before it took any.

    The message says how much it needs and what makes it less; ``halfseen.set_memory_limit`` allows more.
    """
