"""Names the exceptions that the package raises besides Python's own."""


class BudgetSpent(RuntimeError):
    """The total budget does not pay for another example, the reads that open queries asked for included.

    ``ask`` and ``ask_observed`` raise it and ask nothing. Open queries can still be answered, and what one
    asked for is free again where it is forgotten.
    """
