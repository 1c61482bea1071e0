"""Processes of their own that need not import the large libraries again."""

import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor

# They are forked from a process that has imported these and done nothing else.
FRESH = multiprocessing.get_context("forkserver")
FRESH.set_forkserver_preload(
    ["cornet_nn.training", "matplotlib.pyplot", "sklearn.linear_model"]
)


def in_a_fresh_process(function, *arguments):
    """Return the value of a function, called in a new process and an empty folder."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, FRESH, os.chdir, (folder,)) as process,
    ):
        return process.submit(function, *arguments).result()
