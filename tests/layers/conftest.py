"""Without torch there are no layers, and nothing is collected."""

import importlib.util

collect_ignore_glob = ["test_*.py"] if importlib.util.find_spec("torch") is None else []
