"""Look into a wheel: refuse a wrong name, more than 8 MB, stray files and files that lack.

``python wheel.py target/python/wheels/*.whl`` says how large it is, or what is wrong with it.
With ``--release`` it must have the licences of what it links: ``scripts/release.sh wheel`` puts them in.
With ``--assertions`` it may be larger: no user installs it.
"""

import fnmatch
import sys
import zipfile
from pathlib import Path

NAME = "halfseen-*-cp311-abi3-*.whl"
LIMIT = 8_000_000
NEEDED = {
    "halfseen/__init__.py",
    "halfseen/_core.abi3.so",
    "halfseen/_core.pyi",
    "halfseen/py.typed",
    "*.dist-info/METADATA",
    "*.dist-info/RECORD",
    "*.dist-info/WHEEL",
    "*.dist-info/licenses/LICENSE-APACHE",
    "*.dist-info/licenses/LICENSE-MIT",
}
LINKED = {"*.dist-info/licenses/LICENSE-THIRD-PARTY", "*.dist-info/licenses/LICENSE-RUST.html"}
ALLOWED = NEEDED | LINKED | {"halfseen/*.py", "halfseen/*.pyi"}


def problems(wheel, needed, limit):
    """Return what is wrong with a wheel of at most ``limit`` bytes, in words."""
    found = []
    if not fnmatch.fnmatch(wheel.name, NAME):
        found.append(f"its name is not {NAME}")
    if wheel.stat().st_size > limit:
        found.append(f"it has {wheel.stat().st_size / 1e6:.1f} MB, more than {limit / 1e6:.0f}")
    names = zipfile.ZipFile(wheel).namelist()
    found += [f"{pattern} is not in it" for pattern in sorted(needed) if not fnmatch.filter(names, pattern)]
    stray = [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in ALLOWED)]
    stray += [name for name in names if "test_" in name or "__pycache__" in name]
    return found + [f"{name} does not belong in it" for name in stray]


if __name__ == "__main__":
    *options, path = sys.argv[1:]
    path = Path(path)
    needed = NEEDED | LINKED if options == ["--release"] else NEEDED
    found = problems(path, needed, 2 * LIMIT if options == ["--assertions"] else LIMIT)
    for problem in found:
        sys.stderr.write(f"{path.name}: {problem}\n")
    if found:
        sys.exit(1)
    sys.stdout.write(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB\n")
