"""Define the package's warnings."""


class DataWarning(UserWarning):
    """Warn of a property of the data that affects the fit: see ``report_["notes"]``."""
