"""Complete the documentation of estimators by the parameters and attributes of their bases."""

import inspect
import re

_ORDER = ("Parameters", "Attributes", "See Also", "Notes", "References", "Examples")


def sections(text: str) -> dict[str, str]:
    """Split a docstring into its sections by name; the text before the first is under ''."""
    parts = re.split(r"^(\w[\w ]*)\n-+\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return {"": parts[0].strip()} | {
        name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def entries(body: str) -> dict[str, str]:
    """Split a section into its entries by name."""
    return {entry.split(" :")[0]: entry for entry in re.split(r"\n(?=\S)", body) if entry}


def joined(parts: dict[str, str]) -> str:
    """Write a docstring of these sections, in the usual order."""
    titled = [f"{name}\n{'-' * len(name)}\n{parts[name]}" for name in _ORDER if parts.get(name)]
    return "\n\n".join([parts[""], *titled])


def completed(cls: type) -> str:
    """Return the documentation of a class, completed from its bases.

    Every parameter of the constructor gets an entry, with its default. Attributes are those of the class and
    of all bases. Other sections are the class's own, or those of the first base that has them.
    """
    whole: dict[str, str] = {}
    parameters, attributes = whole.copy(), whole.copy()
    for base in cls.__mro__:
        if base.__module__.startswith("halfseen."):
            parts = sections(base.__doc__ or "")
            parameters = entries(parts.get("Parameters", "")) | parameters
            attributes |= {**entries(parts.get("Attributes", "")), **attributes}
            whole = parts | whole
    lines = []
    for name, given in inspect.signature(cls).parameters.items():
        head, _, text = parameters.get(name, f"{name} : object").partition("\n")
        lines.append(f"{head}, default={given.default!r}\n{text}")
    whole |= {"Parameters": "\n".join(lines), "Attributes": "\n".join(attributes.values())}
    others = entries(whole.get("See Also", ""))
    whole["See Also"] = "\n".join(text for name, text in others.items() if name != cls.__name__)
    return re.sub(r"\n(?=[^\n])", "\n    ", joined(whole)) + "\n    "
