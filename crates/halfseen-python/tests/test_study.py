"""Tests of studies: data that are collected over weeks, in one file that the program works on, too."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import halfseen
import numpy as np
import pandas as pd
import pytest
from halfseen import BudgetSpent, RefusedRows, Study
from studies import MIXED, NUMBERS, SCHEMA, answers, filled, first_read, probe, subjects, truth

PROGRAM = os.environ.get("HALFSEEN_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="HALFSEEN_PROGRAM does not name the program")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "trial.hs"


@pytest.fixture
def study(path):
    with Study.create(path, SCHEMA, "y", budget=2, who="nurse") as study:
        yield study


def test_the_whole_cycle(study, path):
    assert repr(study) == f"Study({str(path)!r}, learner='fiml', target='y')"
    assert (study.attributes, study.target, study.params["budget"]) == (tuple(NUMBERS), "y", 2)
    asks = study.next(subjects(120), wave="w1")
    flags = [f"ask_{name}" for name in NUMBERS]
    assert list(asks.columns) == ["subject", "ask", *flags, "ask_list"]
    assert list(asks["subject"]) == subjects(120)
    assert list(asks["ask"]) == list(range(120))
    assert (asks[flags].sum(axis=1) == 2).all()
    assert (asks["ask_list"].str.split().str.len() == 2).all()
    assert len(study.pending()) == 120
    told = study.tell(answers(asks), source="lab")
    assert (told.rows, told.stored, told.repeated, told.completed) == (120, 360, 0, 120)
    assert told.refused == told.flagged == []
    model = study.model()
    assert model.learner == "fiml"
    estimator = study.estimator()
    assert isinstance(estimator, halfseen.FIMLRegressor)
    np.testing.assert_array_equal(estimator.predict(probe()), model.predict(probe()))
    assert estimator.coef_[0] > 1
    status = study.status()
    assert (status.subjects, status.complete, status.open) == (120, 120, 0)
    assert status.risk > 0
    assert status["reads"].made == dict(status)["reads"].made == 240
    assert "error (own test)" in repr(status)
    # The curve of that error.
    curve = study.curve()
    assert list(curve.points["examples"]) == [30, 60, 120]
    assert (curve.test, curve.points["error"].iloc[-1]) == ("held_out", status.risk)
    assert curve.points["low"].iloc[-1] < status.risk < curve.points["high"].iloc[-1]
    assert status.risk < 2 * curve.variance
    ax = study.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "predicting the mean",
        "own test",
    ]
    assert ax.get_xlabel() == "examples"
    assert study.status(fit=False).risk is None
    assert study.check() == []
    # Complete subjects are asked nothing more.
    assert len(study.next(subjects(120))) == 0
    assert list(study.next(subjects(0)).columns) == list(asks.columns)


def test_a_study_in_memory_is_that_of_a_file(study, tmp_path):
    with Study.create(":memory:", SCHEMA, "y", budget=2, who="nurse") as memory:
        assert (memory.path, memory.attributes, memory.params) == (":memory:", study.attributes, study.params)
        for wave in ("w1", "w2"):
            there, here = (of.next(count=40, wave=wave) for of in (memory, study))
            pd.testing.assert_frame_equal(there, here)
            assert memory.tell(answers(there)) == study.tell(answers(here))
        for of in (memory, study):
            of.withdraw("s3", reason="left", erase=True)
        there, here = memory.model(), study.model()
        np.testing.assert_array_equal(there.predict(probe()), here.predict(probe()))
        pd.testing.assert_frame_equal(memory.curve().points, study.curve().points)
        pd.testing.assert_frame_equal(memory.export("wide"), study.export("wide"))
        assert memory.check() == []
        # A copy of it is a file.
        memory.backup(tmp_path / "copy.hs")
        with Study(tmp_path / "copy.hs") as copy:
            np.testing.assert_array_equal(copy.model().predict(probe()), here.predict(probe()))
    assert not os.path.exists(":memory:")
    with pytest.raises(ValueError, match="the study is closed"):
        memory.status()
    with pytest.raises(ValueError, match="a study in memory is gone when it is closed"):
        Study(":memory:")


def test_new_subjects_are_counted(study):
    assert list(study.next(count=3)["subject"]) == ["s1", "s2", "s3"]
    assert list(study.next()["subject"]) == ["s4"]
    assert list(study.next(pd.DataFrame({"subject": ["s2", "x"]}))["ask"]) == [1, 4]
    assert list(study.next(pd.Series([7, 8]))["subject"]) == ["7", "8"]


def test_partial_answers_complete_an_ask(study):
    asks = study.next(["p1"])
    first, second = asks["ask_list"][0].split()
    told = study.tell(pd.DataFrame({"subject": ["p1"], first: [truth("p1", first)], second: [np.nan]}))
    assert (told.stored, told.completed) == (1, 0)
    pending = study.pending()
    assert (pending["missing"][0], pending["target"][0], pending["days"][0] < 1) == (second, "missing", True)
    assert study.next(["p1"])["ask_list"][0] == second
    assert study.status().partial == 1
    # What could not be had completes it, too, and may be told later.
    told = study.tell(pd.DataFrame({"subject": ["p1"], second: ["NA: refused"], "y": [1.5]}))
    assert (told.stored, told.completed) == (2, 1)
    assert study.status(fit=False).missing == 1
    assert study.tell(pd.DataFrame({"subject": ["p1"], second: [0.5]})).stored == 1
    assert len(study.pending(older_than_days=1)) == 0


def test_the_same_frame_twice_changes_nothing_and_other_values_are_refused(study):
    asks = filled(study, 20)
    before = study.export()
    told = study.tell(answers(asks))
    assert (told.stored, told.repeated) == (0, 60)
    pd.testing.assert_frame_equal(study.export(), before)
    assert study.tell(study.export("wide")).repeated == 60
    with pytest.raises(RefusedRows, match=r"row 0, subject 'p0': .* already, and now 49; `amend` corrects"):
        study.tell(pd.DataFrame({"subject": ["p0"], "y": [49.0]}))


def test_amend_release_withdraw_and_erase(study, path):
    asks = filled(study, 60)
    before = study.model().predict(probe())
    study.amend("p3", "y", 40, reason="typing error")
    assert (study.model().predict(probe()) != before).any()
    study.amend("p3", "y", truth("p3", "y"), reason="it was right")
    np.testing.assert_array_equal(study.model().predict(probe()), before)
    with pytest.raises(ValueError, match="a reason is needed"):
        study.amend("p3", "y", 1, reason=" ")
    with pytest.raises(ValueError, match="subject 'p999'"):
        study.amend("p999", "y", 1, reason="r")
    with pytest.raises(ValueError, match="no attribute 'z'"):
        study.amend("p3", "z", 1, reason="r")
    with pytest.raises(ValueError, match="needs a value"):
        study.amend("p3", "y", None, reason="r")
    study.next(["q1"])
    study.release("q1", reason="lost")
    assert study.status(fit=False).released == 1
    with pytest.raises(ValueError, match="no open ask"):
        study.release("q1", reason="lost")
    study.withdraw("p3", reason="consent")
    assert (study.model().predict(probe()) != before).any()
    with pytest.raises(ValueError, match="withdrawn already"):
        study.withdraw("p3", reason="consent")
    assert "p3" not in set(study.export("wide")["subject"])
    with pytest.raises(ValueError, match="withdrawn"):
        study.next(["p3"])
    secret = repr(truth("p4", first_read(asks, 4)))
    study.withdraw("p4", reason="consent", erase=True)
    erased = study.export("erased")
    assert list(erased["subject"]) == ["p4"]
    assert secret not in set(study.export("reads").query("subject == 'p4'")["value"])
    audit = study.export("audit")
    assert {"new", "ask", "tell", "amend", "release", "withdraw", "erase"} <= set(audit["verb"])
    assert set(audit["who"]) == {"nurse"}
    assert list(audit.query("verb == 'amend'")["reason"]) == ["typing error", "it was right"]
    assert study.check() == []


def test_two_studies_work_on_one_file(study, path):
    with Study(path, who="doctor") as other:
        asks = study.next(["p1", "p2"])
        pd.testing.assert_frame_equal(other.next(["p1", "p2"]), asks)
        other.tell(answers(asks))
        assert study.status(fit=False).complete == 2
        assert set(study.export()["who"]) == {"doctor"}


def test_threads_ask_each_subject_once(study, path):
    found = []

    def collect(own):
        with Study(path) if own else study as mine:
            for _ in range(5):
                found.extend(mine.next(count=2)["subject"])

    threads = [threading.Thread(target=collect, args=(True,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 30
    assert list(study.pending()["ask"]) == list(range(30))


def test_a_backup_is_the_same_study(study, path, tmp_path):
    filled(study, 40)
    study.backup(tmp_path / "copy.hs")
    with Study(tmp_path / "copy.hs") as copy:
        pd.testing.assert_frame_equal(copy.export(), study.export())
        np.testing.assert_array_equal(copy.model().predict(probe()), study.model().predict(probe()))
    with pytest.raises(FileExistsError, match="new name"):
        study.backup(tmp_path / "copy.hs")


def test_a_model_compares_its_error_with_the_mean_of_what_was_told(path):
    with Study.create(path, SCHEMA, "y", budget=2) as study:
        asks = study.next(subjects(120))
        told = answers(asks)
        study.tell(told)
        report = study.model().report
        lines = dict(report.lines())
    # The target's unit of a study is declared, and is not its standard deviation.
    constant = report["constant_risk"] * report["error_unit"]
    assert constant == pytest.approx(np.var(told["y"]), rel=0.1)
    assert report["constant_risk"] != pytest.approx(1, rel=0.2)
    share = f"{100 * max(1 - report['risk'] / report['constant_risk'], 0):.0f} %"
    assert lines["explains"].startswith(share)


def test_budgets_are_kept(path):
    with Study.create(path, SCHEMA, "y", budget=2, total_budget=6, total_cost=100.0) as study:
        study.next(count=2)
        assert study.status().reads.left == 2
        with pytest.raises(BudgetSpent, match="total_budget suffices for 1 of these 2"):
            study.next(count=2)
        assert len(study.pending()) == 2
        assert len(study.next(count=1)) == 1


def test_a_closed_study_says_so(path):
    with Study.create(path, SCHEMA, "y", budget=2) as study:
        pass
    study.close()
    for call in (
        study.next,
        study.status,
        study.pending,
        study.model,
        study.export,
        study.check,
        lambda: study.tell(pd.DataFrame({"subject": ["p1"], "y": [1]})),
        lambda: study.withdraw("p1", reason="r"),
    ):
        with pytest.raises(ValueError, match=r"the study is closed; halfseen.Study\(path\) opens it"):
            call()


def test_classes_make_a_classifier(path):
    with Study.create(path, SCHEMA.query("attribute != 'y'"), "y", classes=[1, 0], budget=2) as study:
        asks = study.next(subjects(80))
        frame = answers(asks)
        frame["y"] = (frame["y"] > 0).astype(int)
        assert study.tell(frame).completed == 80
        assert set(study.model().predict(probe())) <= {"0", "1"}
        assert isinstance(study.estimator(), halfseen.FIMLClassifier)


def test_texts_and_dates_are_in_the_model_and_in_no_estimator(path, tmp_path):
    (tmp_path / "attributes.csv").write_text(MIXED)
    names = ["a", "b", "c", "seen", "kind"]
    with Study.create(path, tmp_path / "attributes.csv", "y", budget=2) as study:
        told = filled(study, 80, names=names)
        assert len(told) == 80
        wide = study.export("wide")
        assert wide["seen"].dtype.kind == "M"
        assert study.tell(wide).stored == 0
        assert np.isfinite(study.model().predict(probe(names=names))).all()
        with pytest.raises(ValueError, match="hold texts"):
            study.estimator()


def test_models_do_not_depend_on_the_order_of_answers(path, tmp_path):
    found = []
    with Study.create(path, SCHEMA, "y", budget=2) as study:
        asks = study.next(subjects(60))
        study.backup(tmp_path / "other.hs")
        study.tell(answers(asks))
        found.append(study.model().predict(probe()))
    with Study(tmp_path / "other.hs") as study:
        shuffled = answers(asks).sample(frac=1, random_state=0)
        for part in range(7):
            study.tell(shuffled[part::7])
        found.append(study.model().predict(probe()))
    np.testing.assert_array_equal(*found)


def ran(line, folder):
    """Return what the program prints."""
    done = subprocess.run(
        [PROGRAM, *line.split()], check=True, capture_output=True, text=True, cwd=folder, timeout=60
    )
    return done.stdout


@needs_program
def test_the_program_makes_the_same_model_and_reads_the_same_frames(tmp_path):
    (tmp_path / "attributes.csv").write_text(MIXED)
    ran("study new trial.hs --schema attributes.csv --target y --budget 2", tmp_path)
    names = ["a", "b", "c", "seen", "kind"]
    with Study(tmp_path / "trial.hs") as study:
        asks = study.next(subjects(80))
        pd.DataFrame({"subject": subjects(80)}).to_csv(tmp_path / "ids.csv", index=False)
        ran("study next trial.hs --subjects ids.csv --out asks.csv", tmp_path)
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "asks.csv"), asks, check_dtype=False)
        given = answers(asks, names)
        study.tell(given[:50])
        given.to_csv(tmp_path / "answers.csv", index=False)
        told = json.loads(ran("study tell trial.hs answers.csv --json", tmp_path))[0]["told"]
        assert (told["repeated"], told["completed"]) == (150 - panels(asks[:50]), 30)
        ran("study model trial.hs --out model.json", tmp_path)
        new = probe(20, names)
        expected = halfseen.load(tmp_path / "model.json").predict(new)
        np.testing.assert_array_equal(study.model().predict(new), expected)
        status = json.loads(ran("study status trial.hs --json", tmp_path))
        assert (status["complete"], status["risk"]) == (80, study.status().risk)


def panels(asks):
    """Return by how much the values of asks are fewer than three each."""
    return 3 * len(asks) - sum(len(of.split()) + 1 for of in asks["ask_list"])


@needs_program
def test_the_program_drafts_the_same_schema(tmp_path):
    table = pd.DataFrame({"a": [1, 2.5] * 40, "kind": ["x", "y"] * 40, "y": np.arange(80) % 9})
    table.to_csv(tmp_path / "table.csv", index=False)
    ran("study new t.hs --from table.csv --schema draft.csv --target y", tmp_path)
    with Study.create(tmp_path / "one.hs", tmp_path / "draft.csv", "y", budget=1) as study:
        pd.testing.assert_frame_equal(study.schema, Study.draft(table, "y"))


def interrupted(path):
    """Fit a model until Ctrl-C, and print how late its answer was."""
    columns = [f"a{j}" for j in range(60)]
    study = Study.create(path, pd.DataFrame({"attribute": columns}), "y", budget=30)
    asks = study.next(count=3000)
    values = pd.DataFrame(np.random.default_rng(0).normal(size=(3000, 60)).round(2), columns=columns)
    flags = asks[[f"ask_{name}" for name in columns]].to_numpy() == 1
    study.tell(values.where(flags).assign(subject=asks["subject"], y=values["a0"]))
    sent = []

    def press():
        time.sleep(0.3)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    took = None
    try:
        study.model()
        took = -1.0
        thread.join()
        time.sleep(1)
    except KeyboardInterrupt:
        took = time.perf_counter() - sent[0] if took is None else took
    thread.join()
    print(json.dumps({"late": took, "complete": study.status(fit=False).complete}))


if __name__ == "__main__":
    interrupted(sys.argv[1])
    sys.exit()


def test_ctrl_c_ends_a_fit_and_the_study_goes_on(path):
    for at in range(2):
        done = subprocess.run(
            [sys.executable, __file__, f"{path}{at}"], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["complete"] == 3000
        if told["late"] < 0:
            pytest.skip("this machine fits too quickly to be interrupted")
        if told["late"] < 1:
            return
    pytest.fail(f"Ctrl-C was answered after {told['late']:.2f} s")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_is_told_to_open_the_study_again(study):
    child = os.fork()
    if child == 0:
        try:
            study.status()
        except ValueError as error:
            os._exit(0 if "open it again here" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert study.status().open == 0


def test_without_pandas_frames_are_refused_by_name(path):
    program = f"""
import sys
sys.modules["pandas"] = None
import pathlib, halfseen
pathlib.Path({str(path)!r} + ".csv").write_text("attribute\\na\\nb\\n")
study = halfseen.Study.create({str(path)!r}, {str(path)!r} + ".csv", "y", budget=1)
try:
    study.next(["p1"])
except ImportError as error:
    print(error, study.status(fit=False).subjects)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "studies return frames of pandas: pip install 'halfseen[study]' 0", (
        done.stderr
    )


def test_attributes_come_later_and_are_asked_no_more(study, path):
    filled(study, 40)
    before = study.schema
    with Study(path, who="anna") as other:
        new = pd.DataFrame({"attribute": ["later"], "low": [-5.0], "high": [5.0], "price": [4]})
        assert other.add_attributes(new, reason="a new assay") == ["later"]
        assert other.attributes == (*NUMBERS, "later")
        with pytest.raises(ValueError, match="the study has all of them"):
            other.add_attributes(other.schema, reason="again")
        # Who had it open learns of it from an ask, or a frame of answers.
        asks = study.next([f"q{i}" for i in range(40)])
        assert asks["ask_later"].sum() > 5
        assert study.attributes == other.attributes
        asked = asks[asks["ask_later"] == 1]["subject"]
        assert study.tell(pd.DataFrame({"subject": asked, "later": 1.5})).stored == len(asked)
        other.add_attributes(pd.DataFrame({"attribute": ["last"]}), reason="one more")
        assert study.tell(pd.DataFrame({"subject": ["p0"], "last": [2.0]})).stored == 1
    study.retire("a", reason="too dear")
    assert list(study.schema["retired"]) == ["yes", "", "", "", "", "", ""]
    assert study.next([f"r{i}" for i in range(40)])["ask_a"].sum() == 0
    assert study.check() == []
    for call in (
        lambda: study.retire("a", reason="again"),
        lambda: study.retire("y", reason="the target"),
        lambda: study.retire("nothing", reason="none"),
        lambda: study.retire("b", reason=" "),
        lambda: study.add_attributes(before.assign(unit="mg"), reason="units"),
    ):
        with pytest.raises(ValueError, match=r"retired already|target|no attribute|a reason|another kind"):
            call()
    assert {"add", "retire"} <= set(study.export("audit")["verb"])
