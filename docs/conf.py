"""Make the site of the documentation: ``sphinx-build -W -b html docs FOLDER``, with the packages of requirements.txt."""

import os
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import matplotlib
from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref

matplotlib.use("Agg")

HERE = Path(__file__).parent
ROOT = HERE.parent

project = "halfseen"
copyright = "the authors of halfseen; MIT or Apache-2.0"
#: Web address of the sources, as Cargo.toml has it. Without one, links to sources become plain text.
workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
repository = workspace.get("repository", "").rstrip("/")
version = release = workspace.get("version", "")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
myst_heading_anchors = 4
exclude_patterns = ["_static", "examples"]

# One gallery, of the examples that are there; by the moments at which data are unseen, each from the first to read.
EXAMPLES = """
suggest budget few_pixels ask_and_tell prices curves weights_image
missing_cells missing_for_a_reason dead_pixels complete_scans intervals
sensors_fail certificates
"""
ordered = [f"plot_{name}.py" for name in EXAMPLES.split()]
examples = HERE / "examples"
has_gallery = any(examples.glob("plot_*.py"))
if has_gallery:
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": str(examples),
        "gallery_dirs": "gallery",
        "within_subsection_order": ordered.index,
        "filename_pattern": r"[\\/]plot_",
        "plot_gallery": "True",
        "abort_on_example_error": True,
        "matplotlib_animations": False,
        "download_all_examples": False,
        "image_srcset": ["2x"],
        "capture_repr": ("_repr_html_",),
        "show_memory": False,
        "show_signature": False,
        "remove_config_comments": True,
        "min_reported_time": 60,
        "write_computation_times": False,  # its page asks other servers for scripts
    }
else:  # index.md names a page that is not there
    exclude_patterns.append("gallery")
    suppress_warnings = ["toc.not_readable"]

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
#: MathJax in one file, which draws formulas without a font and asks for nothing else.
mathjax = [file for file in metadata.files("sphinx-mathjax-offline") if file.name == "tex-svg.js"]
html_static_path = ["_static", str(mathjax[0].locate())]
mathjax_path = "tex-svg.js"
html_css_files = ["site.css"]
html_title = "halfseen"
html_theme_options = {
    "show_toc_level": 2,
    "navbar_center": [],
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
if repository.startswith("https://github.com/"):
    html_theme_options["github_url"] = repository
html_sidebars = {"**": ["sidebar-pages"]}
html_show_sourcelink = False
html_copy_source = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

#: Pages of the site that stand for files outside of docs.
STANDS_FOR = {path.name: f"project/{path.stem}" for path in ROOT.glob("*.md") if (HERE / "project" / path.name).exists()}
LINK = re.compile(r"(?<!\!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^()\s]+)\)")
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)


def linked(text, folder, page):
    """Return a Markdown text of a folder of the repository whose links lead somewhere from a page of the site.

    Links to Markdown files of the site and to examples lead to its pages; those to other files of the repository
    lead to its web address, or become plain text where it has none.
    """
    of_page = (HERE / page).parent

    def replaced(found):
        words, target = found.groups()
        path, hash_, anchor = target.partition("#")
        if not path or re.match(r"[A-Za-z][\w+.-]*:|//", target):
            return found[0]
        file = (folder / path).resolve()
        if file.parent == ROOT and file.name in STANDS_FOR:
            file = HERE / f"{STANDS_FOR[file.name]}.md"
        if file.parent == examples and file.match("plot_*.py"):
            file = HERE / "gallery" / f"{file.stem}.rst"
        elif file == examples:
            file = HERE / "gallery" / "index.rst"
        if file.is_relative_to(HERE) and file.is_file():
            return f"[{words}]({os.path.relpath(file, of_page)}{hash_}{anchor})"
        if not repository:
            return f"`{words}`" if words == target else words
        kind = "tree" if file.is_dir() else "blob"
        return f"[{words}]({repository}/{kind}/HEAD/{file.relative_to(ROOT).as_posix()}{hash_}{anchor})"

    pieces, at = [], 0
    for code in CODE.finditer(text):
        pieces += [LINK.sub(replaced, text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*pieces, LINK.sub(replaced, text[at:])])


def children():
    """Return the pages below those that list them in prose: page -> names relative to its folder."""
    found = {"recipes/README": [f"{page.parent.name}/README" for page in sorted(HERE.glob("recipes/*/README.md"))]}
    commands = (HERE / "commands" / "README.md").read_text(encoding="utf-8")
    found["commands/README"] = re.findall(r"^- \[.*?\]\((\w+)\.md\)", commands, re.MULTILINE)
    decisions = (HERE / "decisions" / "README.md").read_text(encoding="utf-8")
    found["decisions/README"] = re.findall(r"^- \[.*?\]\(([\w-]+)\.md\)", decisions, re.MULTILINE)
    listed = r"^(?:## |- )\[.*?\]\(([^()]+)\.md\)"
    seen = set()
    pages = ["papers"]
    while pages:
        page = pages.pop(0)
        path = HERE / f"{page}.md"
        names = re.findall(listed, path.read_text(encoding="utf-8"), re.MULTILINE)
        names += [f"{part.stem}" for part in sorted(path.parent.glob(f"{path.stem}.[0-9].md"))]
        own = [name for name in names if (path.parent / name).resolve() not in seen]
        if page == "papers":  # an experiment stands below its paper, if it has one
            own = [name for name in own if "." not in name] + [name for name in own if "fiml" in name]
        seen.update((path.parent / name).resolve() for name in own)
        found[page] = list(dict.fromkeys(own))
        folder = path.parent.relative_to(HERE)
        pages += [(folder / name).as_posix() for name in own]
    return found


CHILDREN = children()


def with_learners(text):
    """Return a page with the table of all learners in its place."""
    package = ROOT / "crates" / "halfseen-python"
    sys.path.insert(0, str(package))
    import generate

    sys.path.remove(str(package))
    return text.replace("<!-- learners -->", generate.table_of_learners())


def options(text):
    """Return a page of the program's commands in which each flag is an entry of the index, with a place of its own."""
    entry = r"^- `(-[^`]+|[<[][^`]+)`: (.*)$"
    text = re.sub(entry, r"````{option} \1\n\2\n````\n", text, flags=re.MULTILINE)
    return re.sub(r"^#+ `(?:halfseen )?(.*)`$", r"\g<0>\n\n```{program} halfseen \1\n```", text, flags=re.MULTILINE)


def wrapped(text):
    """Return a page whose blocks of output break their lines where they are sentences: longer than 120 characters."""

    def replaced(found):
        is_long = any(len(line) > 120 for line in found[1].splitlines())
        return f"```{{code-block}} text\n:class: wraps\n\n{found[1]}```" if is_long else found[0]

    return re.sub(r"^```text\n(.*?)^```", replaced, text, flags=re.MULTILINE | re.DOTALL)


def without_hidden(text):
    """Return a page without the lines of Rust that only its test needs: those behind #, as in rustdoc."""

    def replaced(found):
        return re.sub(r"^# .*\n", "", found[0], flags=re.MULTILINE)

    return re.sub(r"^```rust\n.*?^```", replaced, text, flags=re.MULTILINE | re.DOTALL)


def read_source(app, page, source):
    """Mend the links of a page, and put in the file of the repository that it stands for."""
    path = Path(app.env.doc2path(page))
    if path.suffix != ".md":
        return
    folder, text = path.parent, source[0]
    if page in STANDS_FOR.values():
        name = f"{path.stem}.md"
        folder, text = ROOT, (ROOT / name).read_text(encoding="utf-8")
        app.env.note_dependency(str(ROOT / name))
    source[0] = wrapped(without_hidden(linked(text, folder, path.relative_to(HERE))))
    if page == "learners":
        source[0] = with_learners(source[0])
    if folder.name == "commands":
        source[0] = options(source[0])
    if below := CHILDREN.get(page):
        names = "\n".join(below)
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def escape(app, what, name, of, options, lines):
    """Escape what reStructuredText would take for marks in the docstrings: |w| and n_features_in_."""
    in_session = False
    for at, line in enumerate(lines):
        in_session = line.lstrip().startswith(">>>") or (in_session and bool(line.strip()))
        if not in_session and not line.lstrip().startswith((".. ", ":")):
            parts = re.split(r"(``.*?``|`[^`]*`_?)", line)
            parts[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", part) for part in parts[::2]]
            lines[at] = "".join(parts)


def drop_citations(app, doctree):
    """Take citations out of tables of summaries: [R3844c45e7680-1] is numpydoc's name for [1] on the class's own page."""
    for table in doctree.findall(nodes.table):
        for cited in list(table.findall(lambda node: re.fullmatch(r"\[?R[0-9a-f]{12}-\d+\]?", node.astext()))):
            if isinstance(cited, (pending_xref, nodes.citation_reference)):
                before = cited.parent[cited.parent.index(cited) - 1]
                if isinstance(before, nodes.Text):
                    cited.parent.replace(before, nodes.Text(before.rstrip()))
                cited.parent.remove(cited)


def setup(app):
    """Connect what Sphinx does not do itself."""
    app.connect("autodoc-process-docstring", escape, priority=900)  # behind numpydoc
    app.connect("source-read", read_source)
    app.connect("doctree-read", drop_citations)
    app.add_lexer("csv", TextLexer)
