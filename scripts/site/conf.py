"""Sphinx: how the staged pages become HTML. Equations and the scripts of letters are typeset here."""

import functools
import re
import sys
from pathlib import Path

from docutils import nodes

sys.path.insert(0, str(Path(__file__).resolve().parent))
import typeset  # noqa: E402

project = "ccpbench"
author = "the ccpbench developers"
root_doc = "index"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = []
highlight_language = "none"
pygments_style, pygments_dark_style = "tango", "native"
html_theme = "furo"
html_title = "ccpbench"
html_static_path = [str(Path(__file__).resolve().parent / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
language = "en"

UNTOUCHED = (nodes.literal, nodes.literal_block, nodes.raw, nodes.subscript, nodes.superscript)


def text_nodes(document):
    return [node for node in document.findall(nodes.Text) if not any(isinstance(above, UNTOUCHED) for above in ancestors(node))]


def ancestors(node):
    while node.parent is not None:
        node = node.parent
        yield node


def typeset_blocks(document):
    for block in list(document.findall(nodes.literal_block)):
        if block.get("language", "none") in ("none", "default", "") and typeset.is_mathematics(block.astext()):
            block.replace_self(nodes.raw("", typeset.block(block.astext()), format="html"))


def typeset_letters(document):
    for node in text_nodes(document):
        pieces = typeset.pieces(node.astext())
        if len(pieces) == 1:
            continue
        made = []
        for text, (low, high, primes) in pieces:
            made.append(nodes.Text(text))
            made += [nodes.subscript(low, low)] if low else []
            made += [nodes.superscript(high, high)] if high else []
            made += [nodes.Text(primes.replace("'", "′"))] if primes else []
        node.parent.replace(node, made)


@functools.cache
def equation_pages(folder):
    """The numbers of equations, each with the page that defines it: those of its letter, '# A. The problem'."""
    pages = {}
    for path in sorted((Path(folder) / "mathematics").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        letter = re.match(r"# ([A-Z])\. ", text)
        pages |= {number: f"mathematics/{path.stem}" for number in typeset.NUMBER.findall(text) if letter and number[0] == letter[1]}
    return pages


def link_equations(app, document, docname):
    """(A.1) in a sentence becomes a link to the equation; at the beginning of an item of its own page it is the equation's own."""
    pages = equation_pages(app.srcdir)
    for node in text_nodes(document):
        if any(isinstance(above, nodes.reference) for above in ancestors(node)):
            continue
        parts = re.split(r"(\([A-Z]\.\d+\))", node.astext())
        made = []
        for part in parts:
            page = pages.get(part.strip("()")) if part.startswith("(") else None
            if page:
                name = f"eq-{part.strip('()')}"
                own = docname == page and not any(made) and begins_item(node)
                place = "" if docname == page else app.builder.get_relative_uri(docname, page)
                made.append(nodes.reference("", part, refuri=f"{place}#{name}", internal=True, ids=[name] if own else []))
            elif part:
                made.append(nodes.Text(part))
        if any(isinstance(piece, nodes.reference) for piece in made):
            node.parent.replace(node, made)


def begins_item(node):
    paragraph = node.parent
    return isinstance(paragraph.parent, nodes.list_item) and paragraph.parent.index(paragraph) == 0 and paragraph.index(node) == 0


def finish(app, document, docname):
    if app.builder.format != "html":
        return
    if docname.startswith(("mathematics/", "scenes/")):
        typeset_blocks(document)
    if not docname.startswith("reference/commands"):
        typeset_letters(document)
        link_equations(app, document, docname)


def setup(app):
    app.connect("doctree-resolved", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
