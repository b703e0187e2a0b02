"""Tests learning from parts: merged sums give the model of all rows, on any machine and from any source."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import dask
import dask.dataframe
import distributed
import halfseen
import halfseen.dask as hd
import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from halfseen import Partial, fit_stream
from pyarrow import parquet
from sklearn.model_selection import GridSearchCV


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    frame["colour"] = rng.choice(["red", "blue", "green"], size=400)
    frame["y"] = 2 * frame["a"] - frame["b"] + (frame["colour"] == "red") + 0.1 * rng.normal(size=400)
    return frame


def partial(learner="ridge", target="y", **settings):
    return Partial(learner, target, **settings)


def expected(rows):
    """Solve ridge regression in the ball of radius 100, which holds the least squares solution."""
    X = np.column_stack([rows[["a", "b", "c"]], pd.get_dummies(rows["colour"]).to_numpy(dtype=float)])
    X = np.column_stack([X, np.ones(len(X))])
    found = X @ np.linalg.lstsq(X, rows["y"].to_numpy(), rcond=None)[0]
    return np.clip(found, rows["y"].min(), rows["y"].max())  # as the library does


def test_parts_give_the_model_of_all_rows(rows):
    parts = [partial(radius=100) for _ in range(3)]
    for at, one in enumerate(parts):
        one.absorb(rows[at::3], part=f"p{at}")
    sent = [pickle.loads(pickle.dumps(one)) for one in parts]
    merged = sent[2].merge(sent[0]).merge(sent[1])
    assert (merged.parts, merged.n_rows, repr(merged)) == (
        ["p0", "p1", "p2"],
        400,
        "Partial(parts=3, rows=400)",
    )
    model = merged.finish()
    np.testing.assert_allclose(model.predict(rows), expected(rows), atol=1e-9)
    assert model.report["examples"] == 400
    other = parts[0].merge(parts[1]).merge(parts[2]).finish()
    assert np.array_equal(model.predict(rows), other.predict(rows))


def test_any_source_gives_the_same(rows, tmp_path):
    parquet.write_table(pa.Table.from_pandas(rows), tmp_path / "t.parquet", row_group_size=70)
    rows.to_csv(tmp_path / "t.csv", index=False)
    whole = pa.Table.from_pandas(rows)

    class Stream:
        """A table that is an Arrow stream only."""

        def __arrow_c_stream__(self, requested=None):
            return whole.__arrow_c_stream__(requested)

    sources = [
        pl.from_pandas(rows),
        pl.from_pandas(rows).lazy(),
        whole,
        whole.to_reader(max_chunksize=90),
        Stream(),
        tmp_path / "t.parquet",
        [tmp_path / "t.parquet"],
        (rows[at : at + 100] for at in range(0, 400, 100)),
    ]
    for source in sources:
        model = fit_stream(source, "y", radius=100)
        np.testing.assert_allclose(model.predict(rows), expected(rows), atol=1e-9)


def test_the_program_reads_what_python_wrote(rows, tmp_path):
    one, two = partial(), partial()
    one.absorb(rows[:150], part="one")
    two.absorb(rows[150:], part="two")
    one.save(tmp_path / "one.hsp")
    again = Partial.load(tmp_path / "one.hsp")
    assert (again.parts, again.n_rows) == (["one"], 150)
    np.testing.assert_array_equal(
        again.merge(two).finish().predict(rows), one.merge(two).finish().predict(rows)
    )
    (tmp_path / "no.hsp").write_text("{}")
    with pytest.raises(ValueError, match="not a file of sums"):
        Partial.load(tmp_path / "no.hsp")


def test_holes_and_classes(rows):
    holed = rows.mask(np.random.default_rng(1).random(rows.shape) < 0.2)
    holed["y"] = np.where(rows["y"] > 0, "up", "down")
    one = partial("mean", loss="squared")
    one.absorb(holed[:200], "one")
    one.absorb(holed[200:], "two")
    model = one.finish()
    assert model.classes.tolist() == ["down", "up"]
    assert np.mean(model.predict(holed) == holed["y"]) > 0.8
    plain = partial()
    plain.absorb(holed.assign(y=rows["y"]), "one")
    with pytest.raises(ValueError, match="missing mean"):
        plain.finish()


def test_what_cannot_be_is_refused_by_name(rows):
    with pytest.raises(ValueError, match=r"karma needs the rows themselves.*ridge, lasso"):
        partial("karma")
    with pytest.raises(ValueError, match="'keep' or 'mean'"):
        partial(missing="drop")
    one = partial()
    one.absorb(rows[:100], "one")
    with pytest.raises(ValueError, match="part 'one': it was absorbed before"):
        one.absorb(rows[100:], "one")
    with pytest.raises(ValueError, match="part 'two': it lacks a column 'c'"):
        one.absorb(rows.drop(columns="c"), "two")
    with pytest.raises(ValueError, match=r"part 'two': column 'a' had numbers .* but has text now"):
        one.absorb(rows.assign(a="x"), "two")
    with pytest.raises(ValueError, match="scale is"):
        one.merge(partial(scale="max"))
    with pytest.raises(TypeError, match="has no names of columns"):
        one.absorb(rows.select_dtypes("number").to_numpy(), "two")
    assert one.parts == ["one"]
    with pytest.raises(ZeroDivisionError):
        one.absorb((rows[: 10 // at] for at in (1, 0)), "two")
    assert (one.parts, one.n_rows) == (["one"], 100)


def test_streams_are_not_kept(tmp_path):
    """A stream of 1.6 GB passes through a process that may take 600 MB more than it has."""
    script = tmp_path / "stream.py"
    script.write_text(
        "import resource, numpy as np, pandas as pd, halfseen\n"
        "made = np.random.default_rng(0).normal(size=(100_000, 20))\n"
        "names = [f'x{j}' for j in range(19)] + ['y']\n"
        "batches = (pd.DataFrame(made + at, columns=names) for at in range(100))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "model = halfseen.fit_stream(batches, 'y')\n"
        "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "assert model.report['examples'] == 10_000_000\n"
        "assert grown < 600_000, grown\n"
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=300)


def cluster(workers):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, processes=True
    )


def lethal(frame, at, marker):
    """Return a frame; the first time that the second is asked for, the worker dies."""
    if at == 1 and not marker.exists():
        marker.touch()
        os._exit(1)
    return frame


def test_dask_gives_the_same_bits_for_any_number_of_workers_and_after_one_died(rows, tmp_path):
    parts = [dask.delayed(rows[at : at + 50]) for at in range(0, 400, 50)]
    parts.insert(3, dask.delayed(rows[:0]))
    models = []
    for workers in (1, 2):
        with cluster(workers) as own, distributed.Client(own) as client:
            model = hd.fit(partial(radius=100), parts, client=client)
            models.append(model)
            if workers == 2:
                marker = tmp_path / "died"
                deadly = [dask.delayed(lethal)(part, at, marker) for at, part in enumerate(parts)]
                models.append(hd.fit(partial(radius=100), deadly, client=client))
                assert marker.exists()
            predicted = hd.predict(model, parts, client=client)
            error = hd.evaluate(model, parts, client=client)
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].predict(rows), other.predict(rows))
    np.testing.assert_allclose(models[0].predict(rows), expected(rows), atol=1e-9)
    np.testing.assert_array_equal(predicted, models[1].predict(rows))
    assert error == pytest.approx(np.mean((expected(rows) - rows["y"]) ** 2))


def test_searches_run_on_dask(rows):
    with cluster(2) as own, distributed.Client(own), joblib.parallel_backend("dask"):
        search = GridSearchCV(halfseen.KARMARegressor(), {"c": [0.1, 1.0]}, cv=2)
        search.fit(rows[["a", "b"]].to_numpy(), rows["y"])
    assert search.best_score_ > 0.5


def test_dask_without_a_cluster(rows, tmp_path):
    for at in range(4):
        parquet.write_table(pa.Table.from_pandas(rows[at::4]), tmp_path / f"{at}.parquet")
    paths = sorted(tmp_path.glob("*.parquet"))
    model = hd.fit(partial(radius=100), paths)
    np.testing.assert_allclose(model.predict(rows), expected(rows), atol=1e-9)
    some = partial(radius=100)
    some.absorb(rows[:100], "earlier")
    rest = [dask.delayed(rows[at : at + 100]) for at in (100, 200, 300)]
    np.testing.assert_allclose(hd.fit(some, rest).predict(rows), expected(rows), atol=1e-9)
    assert some.parts == ["earlier"]
    frames = dask.dataframe.from_pandas(rows, npartitions=5)
    np.testing.assert_allclose(hd.predict(model, frames), model.predict(rows))
    np.testing.assert_allclose(hd.fit(partial(radius=100), frames).predict(rows), expected(rows), atol=1e-9)
    with pytest.raises(ValueError, match="part 'partition 00001': it lacks a column 'b'"):
        hd.fit(partial(), [dask.delayed(rows[:50]), dask.delayed(rows[50:].drop(columns="b"))])
    with pytest.raises(TypeError, match="a Dask frame, or a list of delayed"):
        hd.fit(partial(), 3)


def test_mpi_gives_the_same_bits_for_any_number_of_processes(rows, tmp_path):
    pytest.importorskip("mpi4py")
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec")
    script = pathlib.Path(__file__).parents[3] / "docs" / "with_mpi.py"
    files = [f"{at}.csv" for at in range(3)]
    for at, file in enumerate(files):
        rows[100 * at : 100 * at + 100].to_csv(tmp_path / file, index=False)
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    found = []
    for processes in (1, 2):
        command = ["mpiexec", "-n", str(processes), sys.executable, script, "y", "model.json", *files]
        subprocess.run(command, cwd=tmp_path, env=os.environ | root, check=True)
        found.append(halfseen.load(tmp_path / "model.json"))
    assert found[0].report["examples"] == 300
    assert np.array_equal(found[0].predict(rows), found[1].predict(rows))


def test_two_passes_go_over_anything_that_is_read_twice(rows, tmp_path):
    parquet.write_table(pa.Table.from_pandas(rows), tmp_path / "t.parquet", row_group_size=70)
    sources = [
        rows,
        pl.from_pandas(rows).lazy(),
        tmp_path / "t.parquet",
        [tmp_path / "t.parquet"],
        lambda: (rows[at : at + 90] for at in range(0, 400, 90)),
    ]
    models = [fit_stream(source, "y", "aerr", budget=3) for source in sources]
    for model in models:
        np.testing.assert_allclose(model.predict(rows), models[0].predict(rows), rtol=1e-10, atol=1e-10)
        assert model.report["examples"] == 400
        assert model.report["max_reads"] <= 3
    read = []
    once = (read.append(at) or rows[at : at + 100] for at in (0, 100))
    with pytest.raises(TypeError, match="aerr goes through the rows twice"):
        fit_stream(once, "y", "aerr", budget=3)
    assert not read
    numbers = rows.drop(columns="colour")
    sketched = fit_stream(numbers, "y", "karma", features="sketch:64")
    X = numbers.drop(columns="y")
    whole = halfseen.KARMARegressor(features="sketch:64").fit(X, rows["y"])
    np.testing.assert_allclose(sketched.predict(numbers), whole.predict(X), rtol=1e-9, atol=1e-9)


def test_sums_over_features_pickle_and_are_refused_with_others(rows):
    def sketched(**settings):
        return Partial("karma", "y", features="sketch:16", **settings)

    sums = sketched()
    sums.absorb(rows[:150], "one")
    sums.absorb(rows[150:], "two")
    with pytest.raises(ValueError, match="once more"):
        sums.finish()
    parts = [sketched(units=sums) for _ in range(2)]
    parts[0].absorb(rows[:150], "one")
    parts[1].absorb(rows[150:], "two")
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]
    model = sent[1].merge(sent[0]).finish()
    other = parts[0].merge(parts[1]).finish()
    assert np.array_equal(model.predict(rows), other.predict(rows))
    with pytest.raises(ValueError, match="absorbed before"):
        parts[0].absorb(rows, "one")
    with pytest.raises(ValueError, match="params is"):
        parts[0].merge(sketched(c=3))
    with pytest.raises(ValueError, match="target is"):
        Partial("karma", "a", units=sums, features="sketch:16")
    ridge = partial()
    ridge.absorb(rows, "one")
    with pytest.raises(ValueError, match="learns from the sums alone"):
        partial(units=ridge)


def test_learners_without_parts_are_refused_with_what_to_do(rows):
    with pytest.raises(ValueError, match=r"aerr learns from each row in one stream.*fit_stream"):
        Partial("aerr", "y", budget=2)
    with pytest.raises(ValueError, match="append the files of reads, and fit to them"):
        Partial("fiml", "y", budget=2)
    with pytest.raises(ValueError, match="fit to the whole table, or to some of its rows"):
        Partial("robust-lp", "y", threat=1)


def test_dask_goes_through_the_partitions_twice(rows):
    parts = [dask.delayed(rows[at : at + 100]) for at in range(0, 400, 100)]
    sketched = Partial("karma", "y", features="sketch:64")
    model = hd.fit(sketched, parts)
    again = hd.fit(sketched, parts)
    np.testing.assert_array_equal(model.predict(rows), again.predict(rows))
    one = fit_stream(rows, "y", "karma", features="sketch:64")
    np.testing.assert_allclose(model.predict(rows), one.predict(rows), rtol=1e-9, atol=1e-9)
    sketched.absorb(rows[:100], "earlier")
    with pytest.raises(ValueError, match="'earlier' was summed before"):
        hd.fit(sketched, parts)
