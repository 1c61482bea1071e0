"""The command line `cornet`: train, evaluate, predict, compare, sweep, data.

Each command is a module with `EPILOG`, `add_arguments` and `run`, which is imported
when the command is called.
"""

from .main import main

__all__ = ["main"]
