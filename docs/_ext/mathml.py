"""Formulas as MathML, which browsers draw by themselves: no script and no network."""

from latex2mathml.converter import convert
from sphinx.errors import ExtensionError


def _convert(node, display):
    formula = node.astext()
    try:
        return convert(formula, display=display)
    except Exception as error:  # latex2mathml raises classes of all kinds
        raise ExtensionError(
            f"{node.source}:{node.line}: cannot convert {formula!r}: {error!r}"
        ) from error


def _visit_inline(writer, node):
    writer.body.append(_convert(node, "inline"))
    _skip(node)


def _visit_block(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_convert(node, "block") + "</div>\n")
    _skip(node)


def _skip(node):
    from docutils import nodes

    raise nodes.SkipNode


def setup(app):
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
