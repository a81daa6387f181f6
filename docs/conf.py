"""How Sphinx builds the documentation: `make docs`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from docutils.nodes import document
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tercet import __version__

project = "Tercet"
author = "Tercet developers"
project_copyright = "Tercet developers, BSD-3-Clause"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "Tercet"
html_logo = "../static/tercet.svg"
html_favicon = "../static/tercet.svg"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {"**": ["sidebar"]}
html_theme_options = {
    "logo": {"text": "Tercet"},
    "navbar_center": [],
    "navbar_persistent": [],
    "navbar_end": ["search-field", "theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


class NotebookParser(MystParser):
    """Read a notebook as Markdown, with the outputs that it holds."""

    supported = ("ipynb",)

    def parse(self, inputstring: str, document: document) -> None:
        blocks = (
            block
            for cell in json.loads(inputstring)["cells"]
            for block in _blocks(cell)
        )
        super().parse("\n\n".join(blocks), document)


def _blocks(cell: dict) -> Iterator[str]:
    """Yield the Markdown of a cell and of its outputs."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return

    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if png := data.get("image/png"):
            image = f'<img alt="{"".join(data["text/plain"])}" src="data:image/png;base64,{png}">'
            yield f"```{{raw}} html\n{image}\n```"
        elif html := data.get("text/html"):
            yield f"```{{raw}} html\n{''.join(html)}\n```"
        else:
            text = "".join(output.get("text") or data["text/plain"])
            yield f"```text\n{text}\n```"


def setup(app: Sphinx) -> None:
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
