"""The command line `cornet`: train, evaluate, predict, compare, sweep, data.

Each command is a module with a function `add_parser`, which says what the command takes
and which function runs it. What is heavy is imported when a command runs.
"""

from .main import main

__all__ = ["main"]
