"""Show the report of a fit in words."""

import html
import json
from typing import Any, Self


class Report(dict[str, Any]):
    """Report of a fit: a dict, which says in words what was read and how well the fit does."""

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the report of a fitted model, with its notes and its reason to stop in words."""
        told = [text for text in model.notes() if text is not None]
        words = {"notes_text": told, "stop_text": model.stop()}
        return cls(json.loads(model.report()), **words, error_unit=model.error_unit())

    def lines(self) -> list[tuple[str, str]]:
        """Return the important names and values, in words."""
        examples, distinct = self["examples"], self["distinct"]
        found = [("learner", str(self["learner"])), ("rows", f"{examples:,}")]
        per_row = self["reads"] / max(examples, 1)
        found.append(("cells read", f"{distinct:,} ({per_row:.3g} per row)"))
        if self.get("spent") is not None and abs(self["spent"] - distinct) > 1e-9 * max(distinct, 1):
            found.append(("money spent", f"{self['spent']:,.6g}"))
        if self.get("unused") is not None:
            found.append(("reads left", f"{self['unused']:,}"))
        if self.get("risk") is not None:
            found += self._own_test()
        if self.get("gap") is not None:
            found.append(("certified gap", f"{self['gap']:.2e} of the objective {self['objective']:.6g}"))
        if self.get("support") is not None:
            found.append(("rows kept", f"{self['support']:,}"))
        found.append(("stopped", str(self.get("stop_text", self["stop"]))))
        found.append(("seconds", f"{self['seconds']:.3f}"))
        return found

    def _own_test(self):
        """Return the error that the learner itself estimates, beside that of a constant."""
        risk, deviation, constant = self["risk"], self.get("risk_error"), self.get("constant_risk")
        classes = self.get("error_unit") is None
        unit, quantile = 1.0 if classes else self["error_unit"], self.get("quantile")
        error = "" if deviation is None else f" +- {deviation * unit:.3g}"
        without = " without the threat" if (self.get("threat") or {}).get("budget") else ""
        beside = f"; the mean's is {constant:.3g}" if classes and constant else ""
        loss = "squared error" if quantile is None else f"loss of the quantile {quantile:g}"
        lines = [("its own test", f"{risk * unit:.4g}{error} ({loss}{without}{beside})")]
        if constant and not classes:
            share, other = f"{100 * max(1 - risk / constant, 0):.0f} %", f"{constant * unit:.4g}"
            variance = f"{share} of the variance of the target; the error of its mean is {other}"
            of_loss = f"{share} of the loss of the best constant, which is {other}"
            lines.append(("explains", variance if quantile is None else of_loss))
        return lines

    def __str__(self) -> str:
        """Return lines of names and values, and the notes."""
        lines = [f"{name:<14} {value}" for name, value in self.lines()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.get("notes_text", []))])

    def _repr_html_(self) -> str:
        """Show the same as a table in a notebook."""
        rows = "".join(
            f'<tr><th style="text-align:left">{html.escape(name)}</th>'
            f'<td style="text-align:left">{html.escape(value)}</td></tr>'
            for name, value in self.lines()
        )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.get("notes_text", []))
        return f"<table><tbody>{rows}</tbody></table>" + (f"<ul>{notes}</ul>" if notes else "")
