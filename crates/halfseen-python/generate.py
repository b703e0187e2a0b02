"""Write what follows from the library's declarations into the sources: nobody copies a parameter by hand.

``python generate.py`` writes; ``--check`` fails if the sources are not as it would write them.

- The constructor of every class that names its ``_learner``, with types and defaults.
- The entries of parameters in docstrings: those of one learner in its class, those that learners of a family
  share in the family's base, all others in ``Estimator``. Entries of what Python alone has are kept.
- A class (or a pair of them) for a learner that has none; whoever wants can say more in it.
- The lists of estimators of ``halfseen`` and of families that are packages.

The site takes its table of learners from here.

It needs the installed extension, and none of the sources.
"""

import ast
import difflib
import json
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

from halfseen import _core
from halfseen._docstrings import entries, joined, sections

PACKAGE = Path(__file__).resolve().parent
HOME = PACKAGE / "python" / "halfseen"
ROOT = PACKAGE.parents[1]
LEARNERS = {learner["name"]: learner for learner in json.loads(_core.learners())}
#: Learners without a class: scikit-learn has them, or KARMA with gamma = 1 is it.
ELSEWHERE = {"ridge", "lasso", "imputation"}
#: Each family's base, what its estimators take besides, and the bases of a new regressor and classifier.
FAMILIES = {
    "budget": (
        "Budgeted",
        "scale basis known groups prices bounds verbose",
        "LimitedRegressor",
        "LimitedClassifier",
    ),
    "missing": ("Missing", "scale basis n_jobs verbose", "Regressor", "Classifier"),
    "robust": ("_Robust", "scale basis known groups n_jobs verbose", None, "LinearClassifier"),
}
#: Where a new file of a family that is a package has its bases from.
BASES = {
    "budget": "from halfseen.budget._budgeted import Budgeted, LimitedClassifier, LimitedRegressor",
    "missing": "from halfseen._predictors import Classifier, Regressor\n"
    "from halfseen.missing._missing import Missing",
}
#: What Python has besides, or otherwise than the library: type and default. Docstrings explain it by hand.
OURS = {
    "random_state": ("t.Seed", None),
    "scale": ("t.Scale", None),
    "basis": ("t.Basis", None),
    "known": ("t.Names", None),
    "groups": ("t.Groups", None),
    "prices": ("t.ByAttribute", None),
    "bounds": ("t.ByAttribute", None),
    "class_weight": ("t.ClassWeight", None),
    "n_jobs": ("int | None", None),
    "tune": ("int | None", None),
    "verbose": ("t.Verbose", False),
}
#: What single learners take of that.
MORE = {"fiml": ["n_jobs"]}
#: What the library's kinds of parameters are in signatures and in words.
KINDS = {
    "count": ("int", "int"),
    "count-or-auto": ("int | None", "int or None"),
    "number": ("float", "float"),
    "number-or-auto": ("float | None", "float or None"),
    "flag": ("bool", "bool"),
    "rule": ("t.Rule", "float or str"),
    "rule-or-auto": ("t.Rule | None", "float, str or None"),
    "numbers-or-auto": ("ArrayLike | None", "array-like or None"),
    "moments": ("t.Moments", "array-like, 'online', 'two-phase' or None"),
    "costs": ("t.Costs", "array-like, 'uniform' or 'mi'"),
    "features": ("str", "str"),
}
NEW = '''
class {base}({family}):
    """The parameters of this learner.

    See Also
    --------
    halfseen.{home} : The family.

    References
    ----------
    .. [1] {source}.
    """

    _learner = "{learner}"
'''
NEW_CLASS = '''

class {name}({base}, {kind}):
    """{title}

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen import {name}
    >>> X = np.random.default_rng(0).normal(size=(500, 5))
    >>> {name}().fit(X, X[:, 0] {compared} X[:, 1]).n_features_in_
    5
    """
'''


class Parameter:
    """One parameter of an estimator: its line in the constructor, and its entry in a docstring."""

    def __init__(self, given):
        kind, default = given["kind"], given["default"]
        self.name = {"seed": "random_state"}.get(given["name"], given["name"])
        self.entry = None
        if self.name == "random_state":
            self.annotation, self.default = OURS[self.name]
            return
        doc = re.sub(r"--([a-z_]+)( FILE)?", r"``\1``", given["doc"])
        if kind == "choice":
            words = ", ".join(map(repr, given["words"]))
            self.annotation, words, self.default = f"Literal[{words}]", f"{{{words}}}", default
        else:
            self.annotation, words = KINDS[kind]
            self.default = None if default == "auto" else default
            doc = doc.replace("auto:", "None:")
            if kind != "flag":
                doc += f" Range: {given['allowed'].replace('auto', 'None')}."
        text = textwrap.fill(
            doc, 102, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
        )
        self.entry = f"{self.name} : {words}\n{text}"

    @classmethod
    def ours(cls, name):
        """Return one that Python alone has."""
        self = cls.__new__(cls)
        self.name, self.entry, (self.annotation, self.default) = name, None, OURS[name]
        return self


class Estimator:
    """A class of the sources that is a learner."""

    def __init__(self, path, tree, node):
        assigned = {
            ast.unparse(line.targets[0] if isinstance(line, ast.Assign) else line.target): line.value
            for line in node.body
            if isinstance(line, ast.Assign | ast.AnnAssign)
        }
        self.path, self.name = path, node.name
        self.learner = ast.literal_eval(assigned["_learner"])
        self.family = LEARNERS[self.learner]["family"]
        house = FAMILIES[self.family][1].split()
        house[-1:-1] = MORE.get(self.learner, []) + ["tune"] * bool(LEARNERS[self.learner]["grid"])
        declared = [Parameter(given) for given in LEARNERS[self.learner]["parameters"]]
        self.parameters = declared + [Parameter.ours(name) for name in house]
        below = [
            of for of in tree.body if isinstance(of, ast.ClassDef) and self.name in map(ast.unparse, of.bases)
        ]
        self.public = [of.name for of in (node, *below) if not of.name.startswith("_")]
        #: Classes that have a parameter ``class_weight`` besides, and so a constructor of their own.
        self.weighted = [
            of.name for of in (node, *below) if "WeightedClassifier" in map(ast.unparse, of.bases)
        ]

    def constructors(self):
        """Write ``__init__`` of each class that has one: class -> text."""
        weighted = [*self.parameters[:-1], Parameter.ours("class_weight"), self.parameters[-1]]
        return {self.name: self.constructor(self.parameters)} | {
            name: self.constructor(weighted) for name in self.weighted
        }

    def constructor(self, parameters):
        """Write ``__init__`` of a class with these parameters."""
        given = [f"        {of.name}: {of.annotation} = {of.default!r},\n" for of in parameters]
        kept = [f"        self.{of.name} = {of.name}\n" for of in parameters]
        return (
            f"    def __init__(\n        self,\n        *,\n{''.join(given)}    ) -> None:\n{''.join(kept)}"
        )


def sources():
    """Return the sources that hold estimators, or their bases: path -> text."""
    paths = [HOME / "_estimator.py"]
    for family in FAMILIES:
        paths += HOME.glob(f"{family}/_[!_]*.py") if is_package(family) else [HOME / f"{family}.py"]
    return {path: path.read_text() for path in sorted(paths)}


def is_package(family):
    """Return whether the learners of a family have files of their own."""
    return (HOME / family).is_dir()


def classes(text):
    """Return the classes of a source by name."""
    return {of.name: of for of in ast.parse(text).body if isinstance(of, ast.ClassDef)}


def estimators(texts):
    """Return the estimators of the sources, in the order of the library's learners."""
    found = []
    for path, text in texts.items():
        tree = ast.parse(text)
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and any(
                isinstance(line, ast.Assign) and line.targets[0].id == "_learner" for line in node.body
            ):
                found.append(Estimator(path, tree, node))
    return sorted(found, key=lambda of: list(LEARNERS).index(of.learner))


def add_missing(texts):
    """Write classes for learners that have none."""
    covered = {of.learner for of in estimators(texts)} | ELSEWHERE
    for name in sorted(LEARNERS.keys() - covered):
        learner = LEARNERS[name]
        head, _, rest = learner["title"].partition(": ")
        title = f"{head}.\n\n    {rest[:1].upper()}{rest[1:]}." if rest else f"{head}."
        home = learner["family"]
        family, _, regressor, classifier = FAMILIES[home]
        word = "".join(part.capitalize() for part in name.split("-"))
        path = HOME / home / f"_{word.lower()}.py" if is_package(home) else HOME / f"{home}.py"
        source = textwrap.fill(learner["source"], 95, subsequent_indent=" " * 11)
        text = NEW.format(base=f"_{word}", learner=name, source=source, home=home, family=family)
        for kind, ending, compared in ((regressor, "Regressor", "-"), (classifier, "Classifier", ">")):
            if kind:
                own = {"name": word + ending, "base": f"_{word}", "kind": kind, "compared": compared}
                text += NEW_CLASS.format(title=title, **own)
        new = f'"""Define the learner {name}."""\n\nfrom typing import Literal\n\n'
        new += "from numpy.typing import ArrayLike\n\nfrom halfseen import _types as t\n"
        new += f"{BASES.get(home, '')}\n\n"
        texts[path] = texts.get(path, new) + "\n" + text


def placed(found):
    """Return which base or class documents each parameter: class -> name -> entry."""
    seen = Counter((of.family, p.entry) for of in found for p in of.parameters if p.entry)
    places = {}
    for (_, entry), _ in seen.most_common():
        families = [family for family, other in seen if other == entry]
        count = sum(seen[family, entry] for family in families)
        if count > 1:
            base = FAMILIES[families[0]][0] if len(families) == 1 else "Estimator"
            places.setdefault(base, {}).setdefault(entry.split(" :")[0], entry)
    for of in found:
        for p in of.parameters:
            above = (places.get(base, {}) for base in (FAMILIES[of.family][0], "Estimator"))
            nearest = next((entries[p.name] for entries in above if p.name in entries), None)
            if p.entry and p.entry != nearest:
                places.setdefault(of.name, {})[p.name] = p.entry
    return places


def documented(node, new):
    """Return the lines of a class's docstring with these entries of parameters, beside those kept by hand."""
    parts = sections(ast.get_docstring(node))
    kept = {
        name: entry
        for name, entry in entries(parts.get("Parameters", "")).items()
        if name in OURS and name not in new
    }
    parts["Parameters"] = "\n".join([*new.values(), *kept.values()])
    text = re.sub(r"\n(?=[^\n])", "\n    ", joined(parts))
    return f'    """{text}\n    """\n' if "\n" in text else f'    """{text}"""\n'


def rewritten(text, places, constructors):
    """Return a source with the docstrings and constructors of its classes."""
    lines = text.splitlines(keepends=True)
    for name, node in reversed(classes(text).items()):
        if name not in constructors and name not in {base for base, *_ in FAMILIES.values()} | {"Estimator"}:
            continue
        body = node.body
        if name in constructors:
            at = max(of.end_lineno for of in body if isinstance(of, ast.Assign | ast.AnnAssign | ast.Expr))
            there = [of for of in body if isinstance(of, ast.FunctionDef) and of.name == "__init__"]
            for of in there:
                lines[of.lineno - 1 : of.end_lineno] = []
            lines[at:at] = ["\n", constructors[name], "\n"]
        lines[body[0].lineno - 1 : body[0].end_lineno] = [documented(node, places.get(name, {}))]
    return "".join(lines)


def assignment(text, name):
    """Return where a source sets a constant."""
    return next(of for of in ast.parse(text).body if isinstance(of, ast.Assign) and of.targets[0].id == name)


def constant(text, name):
    """Return the value of a constant of a source."""
    return ast.literal_eval(assignment(text, name).value)


def replaced(text, name, value):
    """Return a source with another value of a constant."""
    line = assignment(text, name)
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: line.lineno - 1], f"{name} = {value!r}\n", *lines[line.end_lineno :]])


def table_of_learners():
    """Return all learners with their estimators as a table in Markdown."""
    of_learner = {of.learner: of for of in estimators(sources())}
    rows = [("learner", "Python", "what it is", "source"), ("---",) * 4]
    for name, learner in LEARNERS.items():
        of = of_learner.get(name)
        names = ", ".join(f"`{cls}`" for cls in sorted(of.public, reverse=True)) if of else ""
        also = [f"`{of['parameter']}={of['value']}` is `{of['name']}`" for of in learner["aliases"]]
        rows.append((f"`{name}`", names, "; ".join([learner["title"], *also]), learner["source"]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def formatted(path, text):
    """Return a source as ruff formats it, with its imports sorted and no import that is not used."""
    for command in (["check", "-q", "--fix-only", "--select", "I,RUF022,F401"], ["format", "-q"]):
        call = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", str(path), "-"]
        text = subprocess.run(call, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout
    return text


def exporting(family, texts, found):
    """Write the package of a family, which exports its estimators and what it exported besides."""
    path = HOME / family / "__init__.py"
    tree = ast.parse(path.read_text())
    names = {}
    for of in found:
        if of.family == family:
            names.setdefault(of.path.stem, set()).update(of.public)
    for line in tree.body:
        if isinstance(line, ast.ImportFrom):
            module = line.module.rpartition(".")[2]
            there = classes(texts.get(HOME / family / f"{module}.py", ""))
            names.setdefault(module, set()).update(of.name for of in line.names if of.name in there)
    lines = [
        f"from halfseen.{family}.{module} import {', '.join(sorted(of))}"
        for module, of in names.items()
        if of
    ]
    said = ast.get_docstring(tree, clean=False)
    return "\n".join([f'"""{said}"""\n', *lines, f"\n__all__ = {sorted(set().union(*names.values()))!r}\n"])


def generated():
    """Return everything that this writes: path -> text."""
    texts = sources()
    add_missing(texts)
    found = estimators(texts)
    places, constructors = placed(found), {}
    for of in found:
        constructors |= of.constructors()
    texts = {path: rewritten(text, places, constructors) for path, text in texts.items()}
    homes = {
        family: [name for of in found if of.family == family for name in of.public] for family in FAMILIES
    }
    path = HOME / "__init__.py"
    text = path.read_text()
    listed = {family: tuple(sorted(names)) for family, names in homes.items()}
    listed |= {home: names for home, names in constant(text, "_HOMES").items() if home not in listed}
    names = [*sum(listed.values(), ()), *constant(text, "_MODULES"), "__version__"]
    text = replaced(replaced(text, "_HOMES", listed), "__all__", sorted(names))
    imported = {"": constant(text, "_MODULES")} | {f".{home}": names for home, names in listed.items()}
    lines = [f"    from halfseen{home} import {', '.join(names)}\n" for home, names in imported.items()]
    block = "if TYPE_CHECKING:  # the same names for type checkers\n"
    texts[path] = re.sub(r"^if TYPE_CHECKING:.*\n( .*\n)+", block + "".join(lines), text, flags=re.MULTILINE)
    for family in filter(is_package, FAMILIES):
        texts[HOME / family / "__init__.py"] = exporting(family, texts, found)
    return {path: formatted(path, text) for path, text in texts.items()}


def main():
    """Write, or compare with what is there."""
    texts = generated()
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if "--check" in sys.argv:
            old = path.read_text().splitlines(keepends=True) if path.exists() else []
            new = texts[path].splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(old, new, str(path), "as it should be"))
        else:
            path.write_text(texts[path])
    if stale and "--check" in sys.argv:
        sys.exit(f"{len(stale)} files are stale: python generate.py writes them")


if __name__ == "__main__":
    main()
