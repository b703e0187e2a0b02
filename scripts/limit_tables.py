"""Makes the tables whose rows `limits.py` counts."""
import random

COLUMNS = 100
MOST_ROWS = 400_000


class Tables:
    """Tables of 100 columns whose rows have equal lengths, so that a part of one is a table."""

    def __init__(self, folder):
        self.folder = folder
        self.made = {}

    def whole(self, classes, holes):
        """A table of the most rows: its path, the length of its header and of a row."""
        key = (classes, holes)
        if key not in self.made:
            source = random.Random(5)
            cells = [f"{v / 10:.1f}" for v in range(100)]
            cells = [cells[b % 100] for b in range(256)]
            if holes:
                cells[:26] = ["NaN"] * 26
            path = self.folder / f"whole-{'classes' if classes else 'numbers'}{'-holes' * holes}.csv"
            header = ",".join(f"x{j}" for j in range(COLUMNS)) + ",y\n"
            with path.open("w") as file:
                file.write(header)
                for _ in range(MOST_ROWS):
                    row = source.randbytes(COLUMNS + 1)
                    y = row[1] % 100 + row[2] % 100 + row[-1] // 2
                    target = "no" if y < 160 else "ye"
                    file.write(",".join(map(cells.__getitem__, row[:-1])))
                    file.write(f",{target}\n" if classes else f",{y:03}\n")
            width = (path.stat().st_size - len(header)) // MOST_ROWS
            self.made[key] = (path, len(header), width)
        return self.made[key]

    def part(self, rows, classes, holes):
        """Copies the first rows to t.csv, and begins again where there are more."""
        path, header, width = self.whole(classes, holes)
        left = header + rows * width
        with path.open("rb") as source, (self.folder / "t.csv").open("wb") as target:
            while left > 0:
                written = target.write(source.read(min(left, 1 << 24)))
                left -= written
                if written == 0:
                    source.seek(header)
