"""Kill writers of model files, and let others write beside them."""

import os
import signal
import subprocess
import sys
import threading
import time

import halfseen
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes, and needs locks")

X = np.random.default_rng(0).normal(size=(40, 3))
MODEL = halfseen.AERRRegressor(random_state=0).fit(X, X[:, 0])

#: A save that stops before the file is renamed, and says that it got there.
STUCK = """
import os, sys, time
import numpy as np
import halfseen
def stuck(*_):
    print("there", flush=True)
    time.sleep(60)
os.replace = stuck
X = np.random.default_rng(0).normal(size=(40, 3))
halfseen.AERRRegressor(random_state=0).fit(X, X[:, 0]).save(sys.argv[1])
"""


def stuck(path):
    """Start a process that is about to rename its file."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", STUCK, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "there\n"
    return process


def beside(path):
    return sorted(name for name in os.listdir(path.parent) if name != path.name)


def test_leftovers_of_killed_writers_are_removed_by_the_next_save(tmp_path):
    path = tmp_path / "model.json"
    writers = [stuck(path) for _ in range(3)]
    assert len(beside(path)) == 3
    for process in writers[:2]:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    living = writers[2]
    MODEL.save(path)
    assert len(beside(path)) == 1, "that of the living writer stays"
    living.send_signal(signal.SIGKILL)
    living.wait()
    living.stdout.close()
    other = tmp_path / "other.json"
    MODEL.save(other)
    assert len(beside(other)) == 2, "leftovers of other paths are not looked at"
    MODEL.save(path)
    assert beside(path) == ["other.json"]
    np.testing.assert_array_equal(halfseen.load(path).predict(X), MODEL.predict(X))


def test_files_of_other_names_stay(tmp_path):
    path = tmp_path / "model.json"
    names = [".model.json.backup01", ".model.json.halfseen-tmp.txt", ".other.json.aaaaaaaa.halfseen-tmp"]
    for name in names:
        (tmp_path / name).write_text("mine")
    os.mkdir(tmp_path / ".model.json.folder.halfseen-tmp")
    os.symlink(tmp_path / names[0], tmp_path / ".model.json.link.halfseen-tmp")
    MODEL.save(path)
    kept = [*names, ".model.json.folder.halfseen-tmp", ".model.json.link.halfseen-tmp"]
    assert beside(path) == sorted(kept)


def test_writers_at_once_do_not_remove_one_anothers_files(tmp_path):
    path = tmp_path / "model.json"
    failed = []

    def save():
        try:
            for _ in range(50):
                MODEL.save(path)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=save) for _ in range(4)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert time.monotonic() - began < 60
    assert beside(path) == []


def test_a_failed_save_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text("old")

    def fails(*_):
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="no space"):
        MODEL.save(path)
    assert path.read_text() == "old"
    assert beside(path) == []
