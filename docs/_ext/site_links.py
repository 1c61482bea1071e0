"""The built site is whole: no link leads nowhere, nothing is loaded from elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a page makes the browser load something.
_LOADS = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
}
_NO_LOAD = {"canonical", "search", "next", "prev", "index", "author"}


class _Page(HTMLParser):
    """What a page links to, what it loads, and where one can jump to in it."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = {""}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get("id"), attributes.get("name")}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for name in ("src", "href"):
            if (tag, name) in _LOADS and attributes.get(name):
                if attributes.get("rel") not in _NO_LOAD:
                    self.loads.append(attributes[name])


def faults(root):
    """Return what is wrong with the links of a site.

    Parameters
    ----------
    root : pathlib.Path
        Folder of the site.

    Returns
    -------
    faults : list of str
        A line for each fault: page, link and reason.
    """
    paths = [p for p in sorted(root.rglob("*.html")) if "_static" not in p.parts]
    pages = {path.resolve(): _Page(path) for path in paths}
    found = []
    for path, page in pages.items():
        name = path.relative_to(root.resolve())
        for link in page.loads:
            if urlsplit(link).netloc:
                found.append(f"{name}: {link} is loaded from the network")
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path.parent / unquote(parts.path) if parts.path else path
            target = target.resolve()
            if not target.exists():
                found.append(f"{name}: {link} is no file")
            elif target in pages and unquote(parts.fragment) not in (
                pages[target].anchors
            ):
                found.append(f"{name}: {link} is no place on that page")
    return found


def _check(app, exception):
    from sphinx.errors import ExtensionError  # here, so that tests need no Sphinx

    if exception is None and app.builder.format == "html":
        found = faults(Path(app.outdir))
        if found:
            raise ExtensionError("broken links:\n  " + "\n  ".join(found))


def setup(app):
    """Check the site when it is built."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
