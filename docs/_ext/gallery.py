"""Order and arguments of the scripts of the gallery."""

import tempfile
from pathlib import Path

_READING_ORDER = (
    "plot_elliptope.py",
    "plot_which_metric.py",
    "plot_swelling.py",
    "plot_connectome_means.py",
    "plot_connectome_groups.py",
    "plot_signals.py",
    "plot_asset_returns.py",
    "plot_named_edges.py",
    "plot_cornet.py",
    "plot_edge_weights.py",
    "plot_transformer.py",
)
_FOLDER = tempfile.TemporaryDirectory(prefix="gallery")


def reading_order(filename):
    """Return the key by which scripts are sorted; those not listed come last."""
    name = Path(filename).name
    listed = name in _READING_ORDER
    return (_READING_ORDER.index(name) if listed else len(_READING_ORDER), name)


def arguments(gallery_conf, script_vars):
    """Return arguments by which a script writes its figure to a temporary folder."""
    script = Path(script_vars["src_file"])
    if "--output" not in script.read_text(encoding="utf-8"):
        return []
    return ["--output", str(Path(_FOLDER.name, script.stem + ".png"))]
