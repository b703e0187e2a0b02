"""Draw the pictures of the first pages: ``python docs/pictures.py`` runs some of the examples, and saves a figure of each."""

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
#: Name of the picture -> example whose last figure it shows, and its width and height in inches.
PICTURES = {
    "collecting": ("plot_few_pixels", (6.4, 4)),
    "missing": ("plot_dead_pixels", (6.4, 4)),
    "vanishing": ("plot_sensors_fail", (6.4, 4)),
    "certify": ("plot_certificates", (9, 3.8)),
    "intervals": ("plot_intervals", (9, 4)),
}

for name, (example, size) in PICTURES.items():
    plt.rcdefaults()
    plt.close("all")
    ax = runpy.run_path(str(HERE / "examples" / f"{example}.py"))["ax"]
    ax.figure.set_size_inches(size)
    # The same bytes each time, and a ground of its own for pages on black.
    matplotlib.rcParams.update({"svg.hashsalt": name, "svg.fonttype": "none", "font.family": ["sans-serif"]})
    file = HERE / f"{name}.svg"
    ax.figure.savefig(file, facecolor="white", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    print(file.name, file.stat().st_size, "bytes")
