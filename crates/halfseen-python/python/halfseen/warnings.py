"""Names the warnings that the package gives besides scikit-learn's."""


class DataWarning(UserWarning):
    """Say what a reader of a fit must know of the data: see ``report_["notes"]``."""
