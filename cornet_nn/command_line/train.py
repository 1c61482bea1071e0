"""cornet train: one network, and all that is needed to use it and to go on with it."""

import contextlib
from pathlib import Path

from geomstats_cor.exceptions import ParameterError

from .._files import locked
from .cells import require_same
from .files import contents, make_writable, write_json
from .fitting import accuracy, fit, make_classifier
from .options import add_command, add_running, resumable, run_directory
from .processes import all_processes, world
from .runs import (
    holds_run,
    make_record,
    read_record,
    removed_if_refused,
    write_record,
)
from .settings import add_settings, given_settings, with_defaults
from .sources import add_source, describe, source_of
from .tables import percent, text_table

_EPILOG = """\
examples:
  cornet train connectomes --metric olm --epochs 30
  cornet train data.npz --metric lsm --power 0.5 --validation 0.2 --patience 10
  cornet train hdm05 --data-dir ~/HDM05 --option center=first --run-dir runs/hdm05
  cornet train --run-dir runs/hdm05 --resume
  torchrun --nproc-per-node=2 -m cornet_nn train data.npz --metric ecm

The run directory has run.json (data and settings), configuration.json (the estimator),
metrics.csv (one row per epoch), checkpoint.pt, curves.png, environment.json (versions)
and result.json. Ctrl-C keeps the checkpoint of the last epoch, and --resume goes on
from it with the same data and settings; only --epochs and --device may change.

Data with an official split is trained on its training part. The accuracy on the test
part is that of the last epoch, or of the one that --validation chose: the test part
chooses nothing."""

# A run may go on with others of these.
_FREE = ("max_epochs", "device")


def add_parser(commands):
    """Add the command to the parser of the command line.

    Parameters
    ----------
    commands : argparse._SubParsersAction
        Where commands are added.
    """
    summary = "train a network, and write a run directory"
    parser = add_command(commands, "train", summary, _EPILOG, run, parallel=True)
    add_source(parser, optional=True)
    add_settings(parser)
    add_running(parser, "runs/DATA-METRIC")


def run(options):
    """Run the training that options ask for.

    Parameters
    ----------
    options : argparse.Namespace
        Options.
    """
    is_first = world()[0] == 0
    quiet = options.quiet or not is_first
    source, settings, directory = _resolved(options)
    data = source.load(progress=not quiet)
    if settings["kind"] == "auto":
        settings["kind"] = data.kind
    record = make_record(source, data, settings)
    model = make_classifier(
        settings, progress=not quiet, directory=str(directory), resume=options.resume
    )
    part = data if data.test is None else data.train_part()
    with contextlib.ExitStack() as stack:
        # All processes raise if the first one does.
        all_processes().ask_first(lambda: _begin(options, directory, record, stack))
        with resumable(options, directory), removed_if_refused(directory):
            fit(model, part)
        if is_first:
            _report(model, data, directory, options.quiet)


def _resolved(options):
    given = given_settings(options)
    if options.resume:
        directory = run_directory(options, None)
        record = read_record(directory)
        source = source_of(options, record["source"])
        return source, record["settings"] | given, directory
    if options.data is None:
        options.usage_error("DATA is wanted: a file, a folder, or a name")
    source, settings = source_of(options), with_defaults(given)
    name = f"{Path(source.data).stem}-{settings['metric']}"
    directory = run_directory(options, name)
    _require_no_run(directory)
    return source, settings, directory


def _require_no_run(directory):
    if holds_run(directory):
        raise ParameterError(
            f"{directory} already holds a run: --resume goes on with it, and another "
            f"--run-dir keeps it."
        )


def _begin(options, directory, record, stack):
    """Lock the directory until the stack is closed, and write the record."""
    make_writable(directory)
    stack.callback(locked(directory).release)
    # Another process may have written a run while this one loaded data.
    if options.resume:
        require_same(_fixed(read_record(directory)), _fixed(record), directory)
    else:
        _require_no_run(directory)
    write_record(directory, record)


def _fixed(record):
    settings = {k: v for k, v in record["settings"].items() if k not in _FREE}
    return record | dict(settings=settings)


def _report(model, data, directory, quiet):
    epoch = model.history_[model.epoch_ - 1]
    result = {name: value for name, value in epoch.items() if name != "seconds"}
    result["epochs"] = len(model.history_)
    rows = [("training", percent(epoch["train_accuracy"]))]
    if "valid_accuracy" in epoch:
        rows.append(("validation", percent(epoch["valid_accuracy"])))
    if data.test is not None:
        test = data.test_part()
        unusable = len(test.left_out)
        result["test_accuracy"] = accuracy(model, test, unusable)
        result["test_samples"] = len(test) + unusable
        result["test_unusable"] = unusable
        rows.append(("test", percent(result["test_accuracy"])))
    write_json(directory / "result.json", result)
    print(f"{describe(data)}; epoch {model.epoch_} of {len(model.history_)}.")
    print(text_table(("part", "accuracy %"), rows))
    if not quiet:
        print(f"Written to {directory}: {', '.join(contents(directory))}.")
