"""Configuration of the site: `make docs` builds it into docs/_build/html."""

import datetime
import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS / "_ext")]
os.environ.setdefault("GEOMSTATS_BACKEND", "numpy")

import geomstats_cor  # noqa: E402

project = "geomstats-cor"
author = "geomstats-cor developers"
copyright = f"{datetime.date.today().year}, {author}"
version = release = geomstats_cor.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "api_reference",
    "mathml",
    "site_links",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build", "tables"]
nitpicky = True
# Names of other libraries, whose sites the build does not ask.
nitpick_ignore_regex = [
    (r"py:obj", r".*"),  # backticks, see default_role
    (r"py:.*", r"(abc|collections|dataclasses|typing|enum|builtins)\..*"),
    (r"py:.*", r"(geomstats|torch|sklearn|skorch|numpy|matplotlib|dask)\..*"),
    (r"py:.*", r"(ABC|object|tuple|dict|list|int|float|str|Exception|Warning)"),
    (r"py:.*", r"(ValueError|TypeError|RuntimeError|UserWarning|RuntimeWarning)"),
]
# numpydoc renames citations, and says so of each that no text refers to.
suppress_warnings = ["ref.citation"]

# A name in backticks is a link if the reference has it.
default_role = "py:obj"
autosummary_generate = False  # api_reference writes these pages
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "attrs_inline"]
myst_heading_anchors = 4

html_theme = "pydata_sphinx_theme"
html_title = "geomstats-cor"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "install": []}


sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["auto_examples"],
    "filename_pattern": r".*\.py$",
    "abort_on_example_error": True,
    "capture_repr": (),
    "reset_argv": "gallery.arguments",
    "within_subsection_order": "gallery.reading_order",
    "download_all_examples": False,
    "plot_gallery": "True",
    "matplotlib_animations": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "show_signature": False,
    "write_computation_times": False,
}

# On the site, a script of the gallery and a file at the root have pages.
_PAGES_OF_FILES = [
    (re.compile(r"\]\((?:\.\./)*examples/(\w+)\.py\)"), r"](/auto_examples/\1.rst)"),
    (re.compile(r"\]\((?:\.\./)*README\.md\)"), r"](/index.md)"),
    (re.compile(r"\]\((?:\.\./)*benchmarks/README\.md\)"), r"](/benchmarks.md)"),
    (re.compile(r"\]\((?:\.\./)*CONTRIBUTING\.md\)"), r"](/contributing.md)"),
    (re.compile(r"\]\((?:\.\./)*CHANGELOG\.md\)"), r"](/changelog.md)"),
]


def _link_to_pages(app, docname, source):
    for pattern, page in _PAGES_OF_FILES:
        source[0] = pattern.sub(page, source[0])


def setup(app):
    """Register the rewriting of links."""
    app.connect("source-read", _link_to_pages)
