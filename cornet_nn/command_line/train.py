"""cornet train: one network, and all that is needed to use it and to resume it.

Some examples:
  cornet train connectomes --metric olm --epochs 30
  cornet train data.npz --metric lsm --power 0.5 --validation 0.2 --patience 10
  cornet train hdm05 --data-dir ~/HDM05 --option center=first --run-dir runs/hdm05
  cornet train --run-dir runs/hdm05 --resume
  torchrun --nproc-per-node=2 -m cornet_nn train data.npz --metric ecm

The run directory has run.json (data, estimator and settings), metrics.csv (one row per
epoch), checkpoint.pt, curves.png, environment.json (versions) and result.json. Ctrl-C
keeps the checkpoint of the last epoch, and --resume continues from it with the same
data and settings; only --epochs and --device may change.

Data with an official split is trained on its training part. The accuracy on the test
part is that of the last epoch, or of the one that --validation chose: the test part
chooses nothing.
"""

import contextlib
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .._files import locked, make_writable, write_json
from .._text import percent, text_table
from ..splits import names_of_classes
from .options import (
    add_running,
    add_source,
    describe,
    record_of,
    resumable,
    run_directory,
    say_written,
    source_of,
)
from .processes import world
from .settings import (
    add_settings,
    given_settings,
    make_estimator,
    settings_of,
    with_defaults,
)

# A run may be resumed with others of these.
_FREE = ("max_epochs", "device")


def add_arguments(parser):
    """Add what the command takes to its parser."""
    add_source(parser, optional=True)
    add_settings(parser)
    add_running(parser, "runs/DATA-METRIC")


def run(options):
    """Run the training that options ask for."""
    from ..runner import stopped_by_keyboard
    from ..training.loop import Processes

    is_first = world()[0] == 0
    quiet = options.quiet or not is_first
    source, settings, directory, before = _resolved(options)
    data = source.load(quiet)
    if settings["kind"] == "auto":
        settings["kind"] = data.kind
    model = make_estimator(
        settings, progress=not quiet, directory=str(directory), resume=options.resume
    )
    part, samples = "all", data
    if data.test is not None:
        part, samples = "train", data.train_part()
    model._data = record_of(source, data, part)
    with contextlib.ExitStack() as stack:
        # All processes raise if the first one does.
        Processes().ask_first(
            lambda: _begin(directory, before, model._data, settings, stack)
        )
        with resumable(options, directory), stopped_by_keyboard():
            model.fit(samples.inputs, names_of_classes(samples), groups=samples.groups)
        if is_first:
            _report(model, data, directory)
            say_written(options, directory)


def _resolved(options):
    """Return source, settings, directory, and the record of a run that is resumed."""
    given = given_settings(options)
    if options.resume:
        directory = run_directory(options, None)
        record = read_record(directory)
        settings = with_defaults(settings_of(record)) | given
        source = source_of(options, record["data"]["source"])
        return source, settings, directory, record
    if options.data is None:
        options.usage_error("DATA is required: a file, a folder, or a name")
    source, settings = source_of(options), with_defaults(given)
    name = f"{Path(source.data).stem}-{settings['metric']}"
    directory = run_directory(options, name)
    _require_no_run(directory)
    return source, settings, directory, None


def read_record(directory):
    """Return the content of the `run.json` that the command line has written."""
    from ..training.run_directory import RunDirectory

    run = RunDirectory(directory)
    if not run.is_taken():
        raise ParameterError(
            f"{directory} is not the directory of a run: it has no run.json. cornet "
            f"train writes such directories."
        )
    record = run.read_record()
    if record["data"] is None:
        raise ParameterError(
            f"{directory} was trained from Python, and does not say on which data: "
            f"use load_classifier there."
        )
    return record


def _require_no_run(directory):
    from ..training.run_directory import RunDirectory

    if RunDirectory(directory).is_taken():
        raise ParameterError(
            f"{directory} already holds a run: continue it with --resume, or choose "
            f"another --run-dir."
        )


def _begin(directory, before, data, settings, stack):
    """Lock the directory until the stack is closed, and compare with a run there."""
    from ..training.run_directory import require_same_run

    make_writable(directory)
    stack.callback(locked(directory).release)
    if before is None:
        # Another process may have written a run while this one loaded data.
        _require_no_run(directory)
    else:
        earlier = with_defaults(settings_of(before))
        require_same_run(_flat(before["data"], earlier), _flat(data, settings))


def _flat(data, settings):
    """Return what must not change when a run is resumed."""
    source = {f"source {name}": value for name, value in data["source"].items()}
    fixed = {name: value for name, value in settings.items() if name not in _FREE}
    return source | dict(fingerprint=data["fingerprint"], part=data["part"]) | fixed


def _report(model, data, directory):
    from ..runner import accuracy

    epoch = model.history_[model.epoch_ - 1]
    result = {name: value for name, value in epoch.items() if name != "seconds"}
    result["epochs"] = len(model.history_)
    if data.test is not None:
        test = data.test_part()
        unusable = len(test.left_out)
        labels = names_of_classes(test) if len(test) else test.labels
        result["test_accuracy"] = accuracy(model, test.inputs, labels, unusable)
        result |= dict(test_samples=len(test) + unusable, test_unusable=unusable)
    write_json(directory / "result.json", result)
    print(f"{describe(data)}; epoch {model.epoch_} of {len(model.history_)}.")
    learnt_alone = getattr(model.module_, "regression", None) is not None
    training = "training (network alone)" if learnt_alone else "training"
    parts = {training: "train", "validation": "valid", "test": "test"}
    scores = {name: result.get(f"{key}_accuracy") for name, key in parts.items()}
    rows = [
        (name, percent(score)) for name, score in scores.items() if score is not None
    ]
    print(text_table(("part", "accuracy %"), rows))
