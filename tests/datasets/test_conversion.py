"""Conversion: the cache, processes, and files that change."""

import os
from pathlib import Path

import numpy as np
import pytest

from cornet_nn.datasets import conversion, load
from cornet_nn.datasets.conversion import Conversion, default_cache
from geomstats_cor.exceptions import DataError, DataWarning, ParameterError

from .files import radar_folder


class Counted:
    """A conversion that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, value, **settings):
        self.calls += 1
        if value == 13:
            raise DataError("is unlucky")
        return np.full((2, 2), float(value))


def run(cache, files, values=(1, 13, 3), convert=None, **settings):
    convert = convert or Counted()
    items = [(f"item {value}", value) for value in values]
    converted = Conversion(cache).run("some", convert, items, settings, files)
    return converted, convert.calls


@pytest.fixture
def files(tmp_path):
    file = tmp_path / "file"
    file.write_text("first")
    return [file]


def test_what_was_converted_is_kept(tmp_path, files):
    cache = tmp_path / "cache"
    first, calls = run(cache, files, power=2)
    again, calls_again = run(cache, files, power=2)
    assert (calls, calls_again) == (3, 0)
    np.testing.assert_array_equal(first.values, again.values)
    assert again.kept.tolist() == first.kept.tolist() == [0, 2]
    assert again.problems == first.problems == ("item 13 is unlucky",)
    assert [path.suffix for path in cache.iterdir()] == [".npz"]


def test_other_options_and_files_are_converted_anew(tmp_path, files):
    cache = tmp_path / "cache"
    run(cache, files, power=2)
    assert run(cache, files, power=3)[1] == 3
    status = files[0].stat()
    files[0].write_text("other")  # of the same length
    os.utime(files[0], ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))
    assert run(cache, files, power=2)[1] == 3
    os.utime(files[0], ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(cache, files, power=2)[1] == 0
    files[0].write_text("longer text")
    os.utime(files[0], ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(cache, files, power=2)[1] == 3
    files[0].unlink()
    assert run(cache, files, power=2)[1] == 3


def test_a_damaged_cache_is_made_anew(tmp_path, files):
    cache = tmp_path / "cache"
    expected, _ = run(cache, files)
    (stored,) = cache.iterdir()
    stored.write_bytes(stored.read_bytes()[:200])
    again, calls = run(cache, files)
    assert calls == 3
    np.testing.assert_array_equal(again.values, expected.values)
    assert run(cache, files)[1] == 0


def test_the_cache_holds_no_pickles(tmp_path, files):
    run(tmp_path / "cache", files)
    (stored,) = (tmp_path / "cache").iterdir()
    with np.load(stored, allow_pickle=False) as content:
        assert sorted(content.files) == ["kept", "problems", "values"]
        assert all(content[name].dtype != object for name in content.files)


def test_a_cache_that_cannot_be_written_is_said(tmp_path, files):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, no directory")
    with pytest.warns(DataWarning, match="is not cached: .*blocked cannot be written"):
        converted, _ = run(blocked, files)
    assert len(converted.values) == 2


def test_nothing_is_left_behind_when_writing_stops(tmp_path, files, monkeypatch):
    def interrupted(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cache", files)
    assert list((tmp_path / "cache").iterdir()) == []


def test_errors_of_the_caller_are_not_problems_of_the_data(files):
    def convert(value):
        raise ParameterError("the option is wrong")

    with pytest.raises(ParameterError, match="the option is wrong"):
        Conversion().run("some", convert, [("a", 1)], {}, files)


def test_when_nothing_is_left(files):
    with pytest.raises(DataError, match="none of 1 items can be used. item 13 is unl"):
        run(None, files, values=(13,))
    with pytest.raises(DataError, match="nothing to convert"):
        run(None, files, values=())


def test_many_problems_are_counted(tmp_path, rng):
    radar_folder(tmp_path, rng, signals=3)
    for number in range(9):
        np.save(tmp_path / f"still{number}_0.npy", np.full(200, 1j))
    with pytest.warns(DataWarning, match="9 of 12 items left out.*and 4 more."):
        data = load("radar", directory=tmp_path, cache=False, progress=False)
    assert len(data.problems) == 9


def test_processes_give_the_same(tmp_path, rng, monkeypatch):
    folder = radar_folder(tmp_path, rng, signals=12)
    # By default, processes take over after a while: here, at once.
    monkeypatch.setattr(conversion, "SECONDS_WITHOUT_PROCESSES", 0.0)
    monkeypatch.setattr(conversion.joblib, "cpu_count", lambda: 2)
    one, two, rest = (
        load("radar", directory=folder, cache=False, progress=False, jobs=jobs)
        for jobs in (1, 2, None)
    )
    for other in (two, rest):
        np.testing.assert_array_equal(one.inputs, other.inputs)
        np.testing.assert_array_equal(one.labels, other.labels)


def test_processes_take_over_after_a_while(monkeypatch):
    ticks = iter(range(100))
    monkeypatch.setattr(conversion.time, "monotonic", lambda: 3.0 * next(ticks))
    convert, taken = Counted(), []

    def parallel(**options):
        def run(tasks):
            taken.extend(tasks)
            return (task(*arguments) for task, arguments, _ in taken)

        return run

    monkeypatch.setattr(conversion.joblib, "Parallel", parallel)
    items = [(f"item {value}", value) for value in range(8)]
    converted = Conversion().run("some", convert, items, {}, [])
    assert len(taken) == 5
    np.testing.assert_array_equal(converted.values[:, 0, 0], range(8))


def test_jobs_are_at_least_one(tmp_path, rng):
    with pytest.raises(ParameterError, match="jobs is at least 1, not 0"):
        load("radar", directory=radar_folder(tmp_path, rng), jobs=0)


def test_the_bar_can_be_silenced(tmp_path, rng, capsys):
    folder = radar_folder(tmp_path, rng)
    load("radar", directory=folder, cache=False, progress=True)
    assert "radar: 100%" in capsys.readouterr().err
    load("radar", directory=folder, cache=False, progress=False)
    assert capsys.readouterr().err == ""


def test_the_cache_of_the_user(tmp_path, monkeypatch, rng):
    monkeypatch.setenv("CORNET_CACHE", str(tmp_path / "own"))
    assert default_cache() == tmp_path / "own"
    monkeypatch.delenv("CORNET_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert default_cache() == tmp_path / "home" / "cornet_nn"
    load("radar", directory=radar_folder(tmp_path / "data", rng), progress=False)
    assert len(list(default_cache().glob("radar-*.npz"))) == 1
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache() == tmp_path / ".cache" / "cornet_nn"


def test_the_cache_has_a_version(tmp_path, files, monkeypatch):
    cache = tmp_path / "cache"
    assert run(cache, files)[1] == 3
    monkeypatch.setattr(conversion, "CACHE_VERSION", conversion.CACHE_VERSION)
    assert run(cache, files)[1] == 0
    monkeypatch.setattr(conversion, "CACHE_VERSION", conversion.CACHE_VERSION + 1)
    assert run(cache, files)[1] == 3


def test_the_cache_does_not_depend_on_the_text_of_the_code(
    tmp_path, files, monkeypatch
):
    cache = tmp_path / "cache"
    assert run(cache, files)[1] == 3
    read = Path.read_bytes
    edited = lambda path: read(path) + b"#" * (path.suffix == ".py")  # noqa: E731
    monkeypatch.setattr(Path, "read_bytes", edited)
    for value in vars(conversion).values():
        getattr(value, "cache_clear", lambda: None)()
    assert run(cache, files)[1] == 0


@pytest.mark.parametrize("error", [KeyError, AttributeError, TypeError, MemoryError])
def test_whatever_a_damaged_item_raises_is_a_problem_of_it(files, error):
    def convert(value):
        if value == 13:
            raise error("damaged")
        return np.eye(2)

    items = [("good", 1), ("bad", 13)]
    converted = Conversion(None).run("some", convert, items, {}, files)
    assert converted.kept.tolist() == [0]
    assert error.__name__ in converted.problems[0]


def test_values_belong_to_the_version_of_the_cache(tmp_path):
    """If this fails, conversions have changed: add one to CACHE_VERSION, and renew."""
    times = np.arange(60.0)
    angles = np.outer(times, [0.11, 0.23, 0.31, 0.47])
    frames = np.sin(angles) + 0.1 * np.cos(3.0 * angles[:, ::-1])
    np.savez(tmp_path / "data.npz", X=frames, L=np.array([25, 35]))
    found = {}
    for name, steps in VERSIONED.items():
        data = load(tmp_path / "data.npz", progress=False, cache=False, **steps)
        found[name] = [float(x) for x in np.abs(data.inputs).sum(axis=(-2, -1)).ravel()]
    assert conversion.CACHE_VERSION == 1
    for name, values in GOLDEN.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-9, err_msg=name)


VERSIONED = {
    "covariance": {},
    "shrinkage": dict(shrinkage=0.1),
    "levels": dict(levels=2),
}
GOLDEN = {
    "covariance": [2.75607430097, 2.89431187266],
    "shrinkage": [2.64545079106, 2.77147110111],
    "levels": [
        2.75607430097,
        1.98131585016,
        2.761820682,
        2.89431187266,
        2.90252108652,
        4.20106591787,
    ],
}
