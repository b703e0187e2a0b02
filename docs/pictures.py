"""Draw the pictures of the first pages: ``python docs/pictures.py`` runs three of the examples, and saves a figure of each."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
#: Name of the picture -> example whose last axes it shows.
PICTURES = {
    "collecting": "plot_few_pixels",
    "missing": "plot_dead_pixels",
    "vanishing": "plot_sensors_fail",
}

for name, example in PICTURES.items():
    plt.rcdefaults()
    plt.close("all")
    ax = runpy.run_path(str(HERE / "examples" / f"{example}.py"))["ax"]
    ax.figure.set_size_inches(6.4, 4)
    # The same bytes each time, and a ground of its own for pages on black.
    matplotlib.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": ["sans-serif"]})
    file = HERE / f"{name}.svg"
    ax.figure.savefig(file, facecolor="white", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    print(file.name, file.stat().st_size, "bytes")
