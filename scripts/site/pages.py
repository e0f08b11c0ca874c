"""The pages of the repository, laid out for the site: where each one goes, in which order, with links that fit."""

import os
import re
import shutil
from pathlib import Path, PurePosixPath

GUIDE = PurePosixPath("apps/ccpbench/docs")
# Folders of pages, with their places in the site.
FOLDERS = {GUIDE: "guide", PurePosixPath("lib/docs"): "mathematics", PurePosixPath("problems/docs"): "scenes", PurePosixPath("results"): "results"}
PLACES = {"README.md": "index.md", "lib/README.md": "mathematics/index.md", "problems/README.md": "scenes/index.md",
          "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", f"{GUIDE}/README.md": "guide/index.md", "results/README.md": "results/index.md"}
FENCE = re.compile(r"^ {0,3}```.*?^ {0,3}```[^\S\n]*$", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# Contents of folders of pages that the guide does not list.
BEHIND = ("mathematics/index.md", "scenes/index.md", "results/index.md")
# Tables whose names become links: page, column, folder of the page about the thing.
NAMED = {"index.md": ((0, ("solvers", "scenes")),), "guide/solvers.md": ((0, ("solvers",)),),
         "guide/experiments.md": ((0, ("configs",)), (1, ("scenes",)))}


class SiteError(Exception):
    """A defect of the pages, in one line."""


def sources(root):
    """The pages of the repository that the site has, as paths relative to root."""
    found = [PurePosixPath(name) for name in PLACES]
    for folder in FOLDERS:
        found += [folder / path.name for path in sorted((root / folder).glob("*.md"))]
    return list(dict.fromkeys(found))


def place(page):
    """The place of a page of the repository in the site: apps/ccpbench/docs/times.md to guide/times.md. Other files keep their places."""
    page = PurePosixPath(page)
    if str(page) in PLACES:
        return PurePosixPath(PLACES[str(page)])
    if page.parent in FOLDERS and page.suffix == ".md":
        return PurePosixPath(FOLDERS[page.parent], page.name.lower())
    return page


def relinked(root, page, text, needed):
    """The text of a page with links that fit its place in the site; adds the files (no pages) that it links to to `needed`."""
    here = place(page)

    def link(match):
        target, _, part = match.group(1).partition("#")
        if re.match(r"[a-z]+:", target):
            return match.group()
        goal = PurePosixPath(os.path.normpath(page.parent / target)) if target else page
        if not (root / goal).is_file():
            raise SiteError(f"{page}: links to {match.group(1)}, which is no file")
        if goal.suffix != ".md":
            needed.add(goal)
        elif goal not in sources(root):
            raise SiteError(f"{page}: links to {goal}, which is no page of the site")
        new = os.path.relpath(place(goal), here.parent) + (f"#{part}" if part else "")
        return f"]({new})"

    return outside_code(text, lambda prose: LINK.sub(link, prose))


def outside_code(text, change):
    """The text with `change` applied to what is between blocks of code."""
    made, at = [], 0
    for block in FENCE.finditer(text):
        made += [change(text[at:block.start()]), block.group()]
        at = block.end()
    return "".join([*made, change(text[at:])])


def link_names(page, text, things):
    """Names in the tables of NAMED as links to the pages about them; things: folder of reference/ -> names."""
    up = "../" * (len(page.parts) - 1)

    def name(match, folders):
        folder = next((folder for folder in folders if match[1] in things[folder]), None)
        return f"[`{match[1]}`]({up}reference/{folder}/{match[1]}.md)" if folder else match[0]

    def row(line):
        cells = line.split("|")
        for column, folders in NAMED[str(page)]:
            cells[column + 1] = re.sub(r"`([^`]+)`", lambda match, folders=folders: name(match, folders), cells[column + 1])
        return "|".join(cells)

    return outside_code(text, lambda prose: re.sub(r"^\|.*\|$", lambda m: row(m.group()), prose, flags=re.M))


def highlighted(text):
    """Blocks with the languages that the highlighter needs: configs have comments, and commands are a shell's."""
    text = text.replace("```json\n", "```javascript\n")
    return re.sub(r"^```\n(?=(?:ccpbench|scripts/|cmake|snakemake|python3?) )", "```sh\n", text, flags=re.M)


def contents(root):
    """The chapters of the user guide in their order: [(heading, [pages of the site])], from its README."""
    groups = []
    for line in (root / GUIDE / "README.md").read_text(encoding="utf-8").splitlines():
        if re.fullmatch(r"[A-Z][\w ]+:", line):
            groups.append((line[:-1], []))
        elif match := re.match(r"\d+\. \[.*?\]\(([^)#]+)\)", line):
            groups[-1][1].append(place(os.path.normpath(GUIDE / match.group(1))))
    return groups


def tree(caption, pages, *options):
    """A part of the table of contents, in MyST."""
    lines = [f":caption: {caption}"] if caption else []
    lines += [f":{option}:" for option in options]
    return "\n".join(["```{toctree}", *lines, "", *(f"/{page.with_suffix('')}" for page in pages), "```", ""])


def stage(root, folder, things):
    """Writes the repository's pages, with the pictures and files that they show, into a folder."""
    needed = set()
    for page in sources(root):
        text = relinked(root, page, (root / page).read_text(encoding="utf-8"), needed)
        goal = place(page)
        if str(goal) in NAMED:
            text = link_names(goal, text, things)
        if str(goal) == "index.md":
            text += "\n" + navigation(root)
        if str(goal) in BEHIND:
            text += "\n" + tree("", [place(p) for p in listed_pages(root, page)], "hidden")
        write(folder / goal, highlighted(text))
    for name in needed:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, folder / name)


def listed_pages(root, readme):
    """The pages beside or below a README in the order in which it links to them."""
    text = FENCE.sub("", (root / readme).read_text(encoding="utf-8"))
    return [readme.parent / name for name in dict.fromkeys(re.findall(r"\]\(((?:docs/)?\w+\.md)\)", text))]


def navigation(root):
    """The table of contents of the whole site."""
    groups = contents(root)
    groups[0][1].insert(0, PurePosixPath("guide/index.md"))
    parts = [tree(heading, pages, "hidden") for heading, pages in groups]
    for caption, names in (("Behind it", BEHIND), ("Reference", ("reference/index.md",))):
        parts.append(tree(caption, [PurePosixPath(name) for name in names], "hidden"))
    return "\n".join(parts)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
