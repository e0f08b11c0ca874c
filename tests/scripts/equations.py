"""The numbered equations of lib/docs and the places that cite them. Each function returns the breaches it finds, one line each.

A page "# A. Title" defines (A.1), (A.2) … in order: at the end of a formula, or at the beginning of an item of a list. The contents,
lib/README.md, name the first and the last of each page."""

import re

CITING = {".cpp", ".hpp", ".py", ".sh", ".md", ".json", ".in", ".txt"}
SECTION = re.compile(r"# ([A-Z])\. ")
IN_FORMULA = re.compile(r"\S {2,}\(([A-Z]\.\d+)\)")
IN_LIST = re.compile(r"\* \(([A-Z]\.\d+)\) ")
CONTENTS = re.compile(r"\* ([A-Z])\. \[.*\(([A-Z]\.\d+)\)–\(([A-Z]\.\d+)\)$")
CITATION = re.compile(r"(?<![\w.])[A-Z]\.\d{1,2}(?![\w.]?\d|\w)")
OLD_CITATION = re.compile(r"(?<![\w.+#])E\d{1,3}(?=[),;:\s–]|-E|$)")


def definitions(text):
    """The numbers that the pages, one after the other, define in order, each with its section: [("A.1", "A"), …]."""
    found, section, fenced = [], None, False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("# "):
            match = SECTION.match(line)
            section = match.group(1) if match else None
        for number in (IN_FORMULA.findall(line) if fenced else IN_LIST.findall(line)):
            found.append((number, section))
    return found


def definition_breaches(text):
    """Numbers of a section are its letter and 1, 2, 3 … in order, so that none is defined twice or missing."""
    breaches, last = [], {}
    for number, section in definitions(text):
        expected = f"{section}.{last.get(section, 0) + 1}"
        if number != expected:
            breaches.append(f"lib/docs: ({number}) is defined where ({expected}) is due")
        last[section] = last.get(section, 0) + 1
    return breaches


def contents_breaches(contents, text):
    """The contents name every section with equations, and exactly those that it has."""
    has, breaches = {}, []
    for number, section in definitions(text):
        has.setdefault(section, []).append(number)
    named = {m.group(1): (m.group(2), m.group(3)) for m in map(CONTENTS.match, contents.splitlines()) if m}
    for section, numbers in has.items():
        if named.get(section) != (numbers[0], numbers[-1]):
            breaches.append(f"lib/README.md: the contents should name ({numbers[0]})–({numbers[-1]}) for section {section}")
    return breaches + [f"lib/README.md: the contents name a section {s} that defines nothing" for s in named if s not in has]


def citation_breaches(text, files):
    """files: (name, text) of everything that may cite. Every cited number is defined, and none is of the old kind, (E12)."""
    known = {number for number, _ in definitions(text)}
    breaches = []
    for name, content in files:
        for number, line in enumerate(content.splitlines(), 1):
            unknown = [cited for cited in CITATION.findall(line) if cited not in known]
            if "noqa" not in line:
                unknown += OLD_CITATION.findall(line)
            breaches += [f"{name}:{number}: there is no equation {cited} in lib/docs" for cited in unknown]
    return breaches


def citations(files):
    """How many citations there are."""
    return sum(len(CITATION.findall(content)) for _, content in files)
