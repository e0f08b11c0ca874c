"""The pages of the repository (Markdown) as a forge shows them: their headings, links and code. Each function that checks returns the
breaches it finds, one line each."""

import re
from pathlib import Path

FENCE = re.compile(r"^ {0,3}```(\w*)\n(.*?)^ {0,3}```", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE = re.compile(r"[a-z]+:")


def blocks(text):
    """The code blocks of a page: (language, code)."""
    return FENCE.findall(text)


def spans(text):
    """The pieces of code in its sentences and tables, on one line each."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", FENCE.sub("", text))]


def anchor(heading):
    """What a forge calls a heading: small letters, hyphens for spaces, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text):
    found = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        name, again = anchor(heading), 0
        while (unique := f"{name}-{again}" if again else name) in found:
            again += 1
        found.add(unique)
    return found


def target_breach(root, folder, page, target):
    """What is wrong with a link in a page of the folder; None where nothing is."""
    name, _, part = target.partition("#")
    goal = folder / name if name else page
    if not goal.exists() or root.resolve() not in (goal.resolve(), *goal.resolve().parents):
        return f"links to {target}, which is no file of the repository"
    if part and (goal.suffix != ".md" or part not in anchors(goal.read_text(encoding="utf-8"))):
        return f"links to {target}, but there is no such heading"
    return None


def link_breaches(root, pages):
    """Links of pages (paths relative to root) to files or headings that are not there, and dollar signs: mathematics is written in
    Unicode, which reads the same everywhere."""
    breaches = []
    for page in pages:
        text = (root / page).read_text(encoding="utf-8")
        prose = re.sub(r"`[^`]*`", "", FENCE.sub("", text))
        if "$" in prose or re.search(r"^ {0,3}(```|~~~)math", text, re.M):
            breaches.append(f"{page}: has mathematics in TeX; the pages have it in Unicode")
        for target in LINK.findall(prose):
            if OUTSIDE.match(target):
                continue
            breach = target_breach(root, (root / page).parent, root / page, target)
            breaches += [f"{page}: {breach}"] if breach else []
    return breaches


def see_breaches(root, configs):
    """Claims of configs (paths relative to root) whose "see" leads to no page or heading."""
    breaches = []
    for config in configs:
        for target in re.findall(r'"see"\s*:\s*"([^"]*)"', (root / config).read_text(encoding="utf-8")):
            breach = None if OUTSIDE.match(target) else target_breach(root, root, root, target)
            breaches += [f"{config}: {breach}"] if breach else []
    return breaches


def sourceless_claims(root, configs):
    """Configs (paths relative to root) with a claim that states no source, though without one it would be ours."""
    return [str(config) for config in configs
            if any('"where"' not in claim for claim in re.split(r'"says"\s*:', (root / config).read_text(encoding="utf-8"))[1:])]


def table(text, heads):
    """The rows of the table with these heads, as lists of cells."""
    lines = text.splitlines()
    start = lines.index(f"| {' | '.join(heads)} |") + 2
    end = next((i for i in range(start, len(lines)) if not lines[i].startswith("|")), len(lines))
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[start:end]]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def pages_of(files):
    return [Path(f) for f in files if f.suffix == ".md"]
