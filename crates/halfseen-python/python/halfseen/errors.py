"""Define the package's exceptions."""


class BudgetSpent(RuntimeError):
    """The total budget does not pay for another example, including the reads of open queries.

    ``ask`` and ``ask_observed`` raise it and ask nothing. Open queries can still be answered; forgetting one
    frees its reads.
    """
