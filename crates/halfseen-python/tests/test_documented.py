"""Links from notebooks to the documentation."""

import importlib.metadata

import pytest
from halfseen import Encoder, KARMAClassifier, RobustClassifier

EACH = pytest.mark.parametrize("estimator", [KARMAClassifier(), RobustClassifier(), Encoder()])


@EACH
def test_an_estimator_links_to_its_page(estimator, monkeypatch):
    message = importlib.metadata.metadata("halfseen")
    message["Project-URL"] = "Documentation, https://docs.example.org/halfseen/"
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: message)
    page = f"https://docs.example.org/halfseen/api/halfseen.{type(estimator).__name__}.html"
    assert estimator._get_doc_link() == page
    assert page in estimator._repr_html_()


@EACH
def test_there_is_no_link_where_no_documentation_is_named(estimator):
    named = importlib.metadata.metadata("halfseen").get_all("Project-URL") or []
    assert bool(estimator._get_doc_link()) == any(url.startswith("Documentation,") for url in named)
