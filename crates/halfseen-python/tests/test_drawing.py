"""Tests drawing rows of streams: every set is equally likely, and the program draws the same rows."""

import os
import pathlib
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from halfseen import draw_rows
from pyarrow import parquet


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"row": np.arange(1000), "colour": rng.choice(["red", "blue"], size=1000)})
    frame["y"] = rng.normal(size=1000)
    return frame


def test_rows_do_not_depend_on_the_batches(rows, tmp_path):
    whole = draw_rows(rows, 50)
    pd.testing.assert_frame_equal(whole, rows.loc[whole["row"]])
    assert len(whole) == 50
    assert whole["row"].is_monotonic_increasing
    for size in (1, 7, 64, 999):
        batches = (rows[at : at + size] for at in range(0, 1000, size))
        pd.testing.assert_frame_equal(draw_rows(batches, 50), whole)
    parquet.write_table(pa.Table.from_pandas(rows), tmp_path / "t.parquet", row_group_size=90)
    found = draw_rows(tmp_path / "t.parquet", 50)
    assert isinstance(found, pa.Table)
    assert found["row"].to_pylist() == whole["row"].tolist()
    found = draw_rows(pl.from_pandas(rows).lazy(), 50)
    assert isinstance(found, pl.DataFrame)
    assert found["row"].to_list() == whole["row"].tolist()
    assert draw_rows(rows, 50, seed=1)["row"].tolist() != whole["row"].tolist()
    pd.testing.assert_frame_equal(draw_rows(rows, 2000), rows)


def test_every_row_is_drawn_equally_often():
    frame = pd.DataFrame({"row": np.arange(40)})
    counts = np.zeros(40)
    for seed in range(1000):
        counts[draw_rows((frame[at : at + 9] for at in range(0, 40, 9)), 10, seed=seed)["row"]] += 1
    # Binomial, of 1,000 draws with probability 1/4; five deviations.
    assert np.abs(counts - 250).max() < 5 * np.sqrt(1000 * 0.25 * 0.75)


def test_odd_calls_are_refused(rows):
    with pytest.raises(ValueError, match="n = 0 must be at least 1"):
        draw_rows(rows, 0)
    with pytest.raises(ValueError, match="there is no row"):
        draw_rows(rows[:0], 5)
    with pytest.raises(TypeError, match="no names of columns"):
        draw_rows(np.zeros((3, 2)), 2)


def test_the_program_draws_the_same_rows(rows, tmp_path):
    program = os.environ.get("HALFSEEN_PROGRAM")
    if program is None:
        pytest.skip("HALFSEEN_PROGRAM does not name the program")
    rows.to_csv(tmp_path / "t.csv", index=False)
    draw_rows(rows, 60, seed=3).to_csv(tmp_path / "some.csv", index=False)
    fit = [program, "fit", "--target", "y", "--learner", "ridge", "--seed", "3", "--quiet"]
    models = []
    for file, flags in (("t.csv", ["--rows", "60"]), ("some.csv", [])):
        subprocess.run([*fit, file, *flags, "--out", "model.json"], cwd=tmp_path, check=True)
        predict = [program, "predict", "model.json", "t.csv", "--quiet"]
        models.append(subprocess.run(predict, cwd=tmp_path, check=True, capture_output=True).stdout)
    assert models[0] == models[1]
    assert pathlib.Path(tmp_path / "model.json").exists()
