"""Link the pictures of estimators in notebooks to their pages in the documentation."""

import importlib.metadata


def home() -> str:
    """Return the web address of the documentation, as the package names it; empty if it names none."""
    try:
        urls = importlib.metadata.metadata("halfseen").get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    named = dict(url.split(", ", 1) for url in urls)
    return named.get("Documentation", "").rstrip("/")


class Documented:
    """Give scikit-learn the address of an estimator's page."""

    _doc_link_module = "halfseen"

    @property
    def _doc_link_template(self) -> str:
        """Address of the page of an estimator; empty where the package names no documentation."""
        return f"{home()}/api/halfseen.{{estimator_name}}.html" if home() else ""
