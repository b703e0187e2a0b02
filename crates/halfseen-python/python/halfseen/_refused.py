"""Define the error for values outside their range, which estimators turn into scikit-learn's."""


class OutOfRange(ValueError):
    """A value lies outside its range."""

    def __init__(self, text: str, name: str, allowed: str) -> None:
        super().__init__(text, name, allowed)
        self.name, self.allowed = name, allowed

    def __str__(self):
        """Return the library's message."""
        return str(self.args[0])
