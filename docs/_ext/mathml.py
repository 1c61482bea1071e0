"""Formulas as MathML, which browsers draw by themselves: no script and no network."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError

# TeX leaves a space between the name of a function and a letter, MathML does not.
_NAME = re.compile(
    r"(<mi>(?:log|exp|sinh|cosh|tanh|arccosh|max|min)</mi>)(?=<m(?:i|sub|sup|row)>)"
)


def _convert(node, display):
    formula = node.astext()
    try:
        return _NAME.sub(
            r'\1<mspace width="0.17em"/>', convert(formula, display=display)
        )
    except Exception as error:  # latex2mathml raises classes of all kinds
        raise ExtensionError(
            f"{node.source}:{node.line}: cannot convert {formula!r}: {error!r}"
        ) from error


def _visit_inline(writer, node):
    writer.body.append(_convert(node, "inline"))
    raise nodes.SkipNode


def _visit_block(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_convert(node, "block") + "</div>\n")
    raise nodes.SkipNode


def setup(app):
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
