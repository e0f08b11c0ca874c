"""Pages about every solver, scene, config, key and command, made from what the program says of itself."""

import json
import re
import subprocess
from pathlib import PurePosixPath

from pages import SiteError, tree, write

PEERS = "reference/peers.md"


class Program:
    def __init__(self, path):
        self.path = str(path)

    def text(self, *arguments):
        try:
            answer = subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=120)
        except OSError as error:
            raise SiteError(f"{self.path}: {error.strerror}") from error
        if answer.returncode:
            raise SiteError(f"{self.path} {' '.join(arguments)}: {answer.stderr.strip()}")
        return answer.stdout

    def listed(self, topic):
        return json.loads(self.text("list", topic, "--json"))


def plain(text):
    """A text of the program as Markdown: characters that would format are escaped."""
    return re.sub(r"([\\`*_|<>\[\]#])", r"\\\1", str(text))


def code(text):
    return f"`{text}`" if text != "" else ""


def table(heads, rows):
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def value(x):
    if isinstance(x, float):
        return code(f"{x:.12g}")
    return "–" if x is None else code(x if isinstance(x, str) else json.dumps(x, ensure_ascii=False))


def allowed(field):
    """The values of a field: `number > 0`, `whole number in [0, 5]`, its choices."""
    if field.get("choices"):
        return ", ".join(code(choice) for choice in field["choices"])
    kind = {"integer": "whole number", "flag": "true or false"}.get(field["type"], field["type"])
    bounds = field.get("range") or {}
    low, high = bounds.get("min"), bounds.get("max")
    if low is not None and high is not None:
        kind += f" in {'(' if bounds['min_excluded'] else '['}{low:.16g}, {high:.16g}{')' if bounds['max_excluded'] else ']'}"
    elif low is not None:
        kind += f" {'>' if bounds['min_excluded'] else '≥'} {low:.16g}"
    elif high is not None:
        kind += f" {'<' if bounds['max_excluded'] else '≤'} {high:.16g}"
    return plain(kind) + (f", {plain(field['unit'])}" if field.get("unit") else "")


def fields(rows):
    return table(("name", "default", "takes", "meaning", "source"), [
        (code(row["name"]), value(row["default"]), allowed(row), plain(row["meaning"]), plain(row["source"])) for row in rows])


def columns_text(columns):
    return table(("name", "unit", "meaning"), [(code(c["name"]), plain(c.get("unit", "")), plain(c.get("meaning", ""))) for c in columns])


def solver_text(solver, level="#"):
    models = ", ".join(code(model) for model in solver["native_models"])
    if "ncp" not in solver["native_models"]:
        models += "; `ncp` through the De Saxcé fixed point"
    parts = [f"{level} `{solver['name']}`\n", f"{plain(solver['title'])}\n",
             f"* Source: {plain(solver['source'])}\n* Models: {models}"]
    if solver.get("takes"):
        parts[-1] += f"\n* Takes: {plain(solver['takes'])}"
    parts[-1] += "\n"
    if solver["settings"]:
        parts += [f"{level}# Settings\n" if level == "#" else "Settings:\n", fields(solver["settings"])]
    if solver["trace_columns"]:
        parts += [f"{level}# Columns of its trace\n" if level == "#" else "Columns of its trace:\n",
                  columns_text(solver["trace_columns"])]
    return "\n".join(parts)


def section_of(scene, scene_pages):
    """The section of the pages of scenes, name -> text, that describes a scene: 'falling_bodies.md#ball_box'."""
    for name, text in scene_pages.items():
        for heading in re.findall(r"^#+ (.*)$", text, re.M):
            if f"`{scene}`" in heading:
                return f"{name}#" + re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    raise SiteError(f"problems/docs: no section about the scene {scene}")


def scene_text(scene, scene_pages):
    moves = "moves in time, step by step" if scene["moves"] else "one step"
    return "\n".join([f"# `{scene['name']}`\n", f"{plain(scene['title'])}\n",
                      f"* Source: {plain(scene['source'])}\n* Kind: {moves}\n* [Sketch, matrices and what the paper leaves open]"
                      f"(../../scenes/{section_of(scene['name'], scene_pages)})\n", "## Parameters\n", fields(scene["parameters"])])


def config_text(name, source, config):
    parts = [f"# `{name}`\n", f"{plain(config.get('title', ''))}\n"]
    if config.get("description"):
        parts.append(plain(config["description"]) + "\n")
    scenes = sorted({problem["scene"] for problem in config["problems"] if "scene" in problem})
    used = [f"[`{scene}`](../scenes/{scene}.md)" for scene in scenes]
    used += ["FCLib dumps"] if any("fclib" in problem for problem in config["problems"]) else []
    parts.append(f"* Problems: {', '.join(used)}\n* Run it: `ccpbench run {name}`; at a smaller size `ccpbench run {name} --size small`\n")
    solvers = [(plain(s.get("label", s["solver"])), code(s["solver"]),
                ", ".join(f"`{key} = {json.dumps(given)}`" for key, given in s.get("parameters", {}).items())) for s in config["solvers"]]
    parts += ["## Solvers\n", table(("label", "solver", "settings"), solvers)]
    if config.get("claims"):
        claims = [(code(c["id"]), plain(c.get("says", "")), plain(c.get("where", ""))) for c in config["claims"]]
        parts += ["## Claims\n", table(("claim", "says", "where"), claims)]
    return "\n".join([*parts, "## The file\n", f"`configs/{name}.json`\n", f"```javascript\n{source.rstrip()}\n```\n"])


def config_of(source):
    """A config without its comments."""
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda m: m.group(1) or "", source))


def key_takes(key):
    return f"[{key['shape']}](config_keys.md#{key['shape']})" if key.get("shape") else allowed(key)


def key_text(parts):
    made = ["# Keys of a config\n",
            "What `ccpbench list config` says. [A config](../guide/config.md) explains the common ones with examples.\n"]
    for part in parts:
        rows = [(code(key["name"]), "yes" if key["required"] else "no", value(key["default"]), key_takes(key), plain(key["meaning"]))
                for key in part["keys"]]
        made += [f"## `{part['name']}`\n", f"{plain(part['meaning'])}.\n",
                 table(("key", "required", "default", "takes", "meaning"), rows)]
    return "\n".join(made)


def command_text(program):
    top = program.text("--help")
    commands = re.findall(r"^  ([a-z]+)  ", top.split("\nOptions\n")[0], re.M)
    made = ["# Commands and options\n", "What `ccpbench --help` and `ccpbench COMMAND --help` print.\n", f"```none\n{top}```\n"]
    for command in commands:
        made += [f"## {command}\n", f"```none\n{program.text(command, '--help')}```\n"]
    return "\n".join(made)


def words_text(program):
    measures = [(code(m["name"]), plain(m["unit"]), "yes" if m["stops"] else "no", plain(m["definition"])) for m in program.listed("measures")]
    metrics = [(code(m["name"]), plain(m["unit"]), plain(m["meaning"])) for m in program.listed("metrics")]
    statuses = [(code(s["name"]), plain(s["meaning"])) for s in program.listed("statuses")]
    solvers = [(code(s["name"]), plain(s["matrices"])) for s in program.listed("linear-solvers")]
    return "\n".join([
        "# Measures, metrics, statuses, linear solvers\n", "## Measures\n",
        "The same for all solvers; the definitions are in section D of [the mathematics](../mathematics/d_measures.md).\n",
        table(("name", "unit", "can stop a run", "definition"), measures),
        "## Metrics\n", "The numbers of `summary.csv`, for claims and plots. Those that end in `_to` take `at`, a power of ten.\n",
        table(("name", "unit", "meaning"), metrics),
        "## Statuses\n", "How a run can end.\n", table(("status", "meaning"), statuses),
        "## Linear solvers\n", "Sparse direct solvers.\n", table(("name", "matrices"), solvers)])


def write_each(folder, kind, pages):
    """A page for each name and a table of them; pages: name -> (title, text). They are in no table of contents (orphans): that would
    stand beside every page of the site, and take most of the time."""
    for name, (_, text) in pages.items():
        write(folder / f"reference/{kind}/{name}.md", f"---\norphan: true\n---\n[All {kind}](index.md)\n\n{text}")
    rows = [(f"[`{name}`]({name}.md)", plain(title)) for name, (title, _) in pages.items()]
    write(folder / f"reference/{kind}/index.md", f"# {kind.capitalize()}\n\n" + table(("name", "what"), rows))


def make(root, folder, program):
    """Writes the pages of reference/ and returns what they are about: folder -> names."""
    solvers, scenes = program.listed("solvers"), program.listed("scenes")
    ours = [solver for solver in solvers if solver["school"] == "ours"]
    peers = [solver for solver in solvers if solver["school"] != "ours"]
    files = sorted((root / "configs").glob("*.json"))
    sources = {path.stem: path.read_text(encoding="utf-8") for path in files}
    configs = {name: config_of(source) for name, source in sources.items()}
    scene_pages = {path.name: path.read_text(encoding="utf-8") for path in sorted((root / "problems/docs").glob("*.md"))}
    write_each(folder, "solvers", {s["name"]: (s["title"], solver_text(s)) for s in ours})
    write_each(folder, "scenes", {s["name"]: (s["title"], scene_text(s, scene_pages)) for s in scenes})
    write_each(folder, "configs", {name: (config.get("title", ""), config_text(name, sources[name], config)) for name, config in configs.items()})
    head = ["# Solvers of other programs\n", "[Other programs in the same run](../guide/peers.md) says what they are and how they are timed.\n"]
    write(folder / PEERS, "\n".join([*head, *(solver_text(peer, "##") for peer in peers)]))
    write(folder / "reference/commands.md", command_text(program))
    write(folder / "reference/config_keys.md", key_text(program.listed("config")))
    write(folder / "reference/words.md", words_text(program))
    order = [PurePosixPath(f"reference/{name}.md") for name in
             ("commands", "config_keys", "solvers/index", "peers", "scenes/index", "configs/index", "words")]
    things = {"solvers": [s["name"] for s in ours], "scenes": [s["name"] for s in scenes], "configs": list(sources)}
    write(folder / "reference/index.md", "# Reference\n\nMade from what the program says of itself.\n\n" + tree("", order))
    return things
