"""Formulas as MathML, which browsers draw by themselves: no script and no network.

The site brings a font with mathematical glyphs, STIX Two Math, out of the package
ziamath, since not every system has one.
"""

import importlib.util
from pathlib import Path

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.errors import ExtensionError

_CONVERTER = LatexToMathML(macros={"widetilde": r"\tilde{#1}"}, fancy_error=False)
_FONT = "STIXTwoMath-Regular.ttf"  # site.css names it


def _convert(node, displaystyle):
    try:
        return _CONVERTER.convert_with_local_state(
            node.astext(), displaystyle=displaystyle
        )
    except LatexError as error:
        place = next((x for x in _upwards(node) if x.source), node)
        raise ExtensionError(
            f"{place.source}:{place.line}: {node.astext()!r}: {error}"
        ) from error


def _upwards(node):
    while node is not None:
        yield node
        node = node.parent


def _visit_inline(writer, node):
    writer.body.append(_convert(node, displaystyle=False))
    raise nodes.SkipNode


def _visit_block(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_convert(node, displaystyle=True) + "</div>\n")
    raise nodes.SkipNode


def _add_font(app, config):
    (package,) = importlib.util.find_spec("ziamath").submodule_search_locations
    config.html_static_path.append(str(Path(package, "fonts", _FONT)))


def setup(app):
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    app.connect("config-inited", _add_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
