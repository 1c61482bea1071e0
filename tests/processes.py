"""Processes of their own that need not import the large libraries again."""

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

# They are forked from a process that has imported these and done nothing else.
FRESH = multiprocessing.get_context("forkserver")
FRESH.set_forkserver_preload(
    [
        "cornet_nn.training.classifiers",
        "cornet_nn.command_line.train",
        "matplotlib.pyplot",
        "sklearn.linear_model",
    ]
)


def in_a_fresh_process(function, *arguments):
    """Return the value of a function, called in a new process and an empty folder."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, FRESH, os.chdir, (folder,)) as process,
    ):
        return process.submit(function, *arguments).result()


def run_cornet(words, output, environment=None):
    """Run a command of `cornet` in a process of `FRESH`, and exit with its code."""
    from cornet_nn.command_line import main

    os.environ.update(environment or {})
    # A shell lets processes in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with open(f"{output}.out", "w") as out, open(f"{output}.err", "w") as err:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([str(word) for word in words])
    sys.exit(code)
