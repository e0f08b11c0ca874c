"""Typesets the equations of the pages, which are written in Unicode: `u_i = N_ii γ_i + r_i` to HTML with italic letters, subscripts
and superscripts. Columns stay where they are in the source, numbers stand at the right and can be linked to. Nothing here needs a
network, a script in the browser, or a font of its own."""

import html
import re
import unicodedata

NUMBER = re.compile(r"\(([A-Z]\.\d+)\)")
# What only drawings of characters have.
DRAWING = re.compile(r"[_=-]{3}|\( \)|\\\\|//|\|_|_\||\|   |   \||o  ?o|ooo|\[ \]|▪")
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀˡᵗ", "0123456789+−()⊤lt"))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789"))
ACCENTS = r"[\u0300-\u036f]*"
LETTER = "A-Za-zÀ-ÖØ-öø-žΑ-Ωα-ωϱϕ"
SUBSCRIPT = re.compile(rf"_(?:\{{([^{{}}]*)\}}|((?:[{LETTER}0-9∞⊥°]{ACCENTS})+(?:,[A-Za-z0-9]+)*))")
SUPERSCRIPT = re.compile(rf"\^(?:\{{([^{{}}]*)\}}|\(([^()]*)\)|([-−]?[{LETTER}0-9½⅓*]+))")
IDENTIFIER = re.compile(r"[A-Za-z]{2,}(?:_[A-Za-z]{2,})+")
# Words, units, numbers such as 1e-4.
WORD = re.compile(r"[A-Za-zÀ-öø-ÿ]{3,}(?![\u0300-\u036f])|(?:if|or|of|on|in|at|by|to|as|is|it|be|so|tr|eq|mm|no|De|an)(?![A-Za-z])|a(?= [a-z]{3})"
                  r"|(?<=\()(?:N·s|m/s)(?=\))|\d+(?:\.\d+)?e-?\d+")
TOKEN = re.compile(rf"[{LETTER}]{ACCENTS}|.{ACCENTS}", re.S)
RELATIONS = "=≤≥≈∈∋←⇔[]"
REPLACED = {"<=": "≤", ">=": "≥"}


def is_mathematics(block):
    """Whether a block of code holds equations: numbered ones, or indented lines that are no drawing."""
    if NUMBER.search(block):
        return True
    lines = [line for line in block.splitlines() if line.strip()]
    return bool(lines) and all(line.startswith("    ") for line in lines) and not DRAWING.search(block)


def scripts_at(text, at):
    """The sub- and superscripts that begin at `at`: (where they end, subscript, superscript, primes)."""
    low, high, primes = "", "", ""
    while at < len(text):
        if match := SUBSCRIPT.match(text, at):
            low += match.group(1) or match.group(2)
            at = match.end()
        elif match := SUPERSCRIPT.match(text, at):
            high += next(group for group in match.groups() if group is not None)
            at = match.end()
        elif text[at] in RAISED:
            high += RAISED[text[at]]
            at += 1
        elif text[at] in LOWERED:
            low += LOWERED[text[at]]
            at += 1
        elif text[at] in "'*" and not text[at - 1].isspace():
            primes += "′" if text[at] == "'" else "*"
            at += 1
        else:
            break
    return at, low, high, primes


def italic(symbol):
    small = "GREEK SMALL" in unicodedata.name(symbol[0], "") or "LATIN" in unicodedata.name(symbol[0], "")
    return f"<i>{html.escape(symbol)}</i>" if small and symbol[0].isalpha() else html.escape(symbol)


def script(text):
    """The inside of a sub- or superscript: words of three letters and more stand upright."""
    def letters(run):
        return run.group() if len(run.group()) > 2 else "".join(italic(x) for x in re.findall(rf".{ACCENTS}", run.group()))

    return re.sub(rf"[{LETTER}]{ACCENTS}(?:[{LETTER}]{ACCENTS})*", letters, html.escape(text.replace("-", "−"), quote=False))


def with_scripts(base, low, high, primes):
    high += primes.replace("*", "∗").replace("′", "")
    base += "′" * primes.count("′")
    if low and high:
        return f'{base}<span class="scripts"><sup>{script(high)}</sup><sub>{script(low)}</sub></span>'
    return base + (f"<sub>{script(low)}</sub>" if low else "") + (f"<sup>{script(high)}</sup>" if high else "")


def closing(text, opening):
    """The place that closes the parenthesis at `opening`; -1 if none."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1


def formula(text):
    """A piece of a line of equations as HTML."""
    made, at = [], 0
    while at < len(text):
        if text[at] == "`" and "`" in text[at + 1:]:
            end = text.index("`", at + 1) + 1
            made.append(f"<code>{html.escape(text[at + 1:end - 1])}</code>")
            at = end
            continue
        if text[at] == "√" and text[at + 1:at + 2] == "(" and (end := closing(text, at + 1)) > 0:
            base, at = f'√<span class="root">{formula(text[at + 2:end])}</span>', end + 1
        elif match := IDENTIFIER.match(text, at):
            made.append(f"<code>{match.group()}</code>")
            at = match.end()
            continue
        elif match := WORD.match(text, at):
            base, at = html.escape(match.group()), match.end()
            if text[at:at + 1] in ("'", "*"):  # an apostrophe
                made.append(base + text[at])
                at += 1
                continue
        elif text[at:at + 2] in REPLACED:
            base, at = REPLACED[text[at:at + 2]], at + 2
        else:
            match = TOKEN.match(text, at)
            base, at = italic(match.group()), match.end()
        at, low, high, primes = scripts_at(text, at)
        made.append(with_scripts(base, low, high, primes))
    return "".join(made)


def starts(line):
    """The places where the cells of a line begin: after two spaces or more."""
    return {match.start() for match in re.finditer(r"(?:^|(?<=  ))\S", line)}


def cells(lines):
    """For each line its cells (offset, text): what two spaces part, and relations and brackets below the cells of other lines."""
    columns = set().union(*map(starts, lines)) if lines else set()
    parted = []
    for line in lines:
        cuts = starts(line) | {at for at in columns if 0 < at < len(line) and line[at] in RELATIONS and line[at - 1] == " "}
        ends = [*sorted(cuts)[1:], len(line)]
        parted.append([(first, line[first:last].rstrip()) for first, last in zip(sorted(cuts), ends)])
    return parted


def aligned(parts, others):
    """The cells of a line as HTML: as far apart as in the source where another line has a cell at the same place, else by a gap."""
    shared = {offset for other in others for offset, _ in other if offset > 0}
    if not shared & {offset for offset, _ in parts}:
        return [last('<span class="gap"></span>'.join(formula(text) for _, text in parts))] if parts else []
    made = [space(parts[0][0])] if parts[0][0] else []
    for (offset, text), after in zip(parts, [*parts[1:], None]):
        made.append(space(after[0] - offset, formula(text)) if after else last(formula(text)))
    return made


def last(text):
    return f'<span class="last">{text}</span>'


def space(columns, text=""):
    return f'<span class="cell" style="min-width:{0.5 * columns:.2f}em">{text}</span>'


def block(source):
    """A block of equations as HTML, a row for each line."""
    lines = [line.rstrip() for line in source.rstrip().splitlines()]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    lines = [line[indent:] for line in lines]
    numbers, left = [], []
    for line in lines:
        match = re.search(r"\s{2,}\(([A-Z]\.\d+)\)\s*(.*)$", line)
        numbers.append(match.groups() if match else None)
        left.append(line[:match.start()].rstrip() if match else line)
    rows, parted = [], cells(left)
    for line, (parts, number) in enumerate(zip(parted, numbers)):
        row = "".join(aligned(parts, parted[:line] + parted[line + 1:]))
        if number:
            name = f'<span class="name">{formula_name(number[1])}</span>'
            rows.append(f'<div class="row" id="eq-{number[0]}"><span class="formula">{row}</span>'
                        f'<a class="number" href="#eq-{number[0]}">({number[0]})</a>{name}</div>')
        else:
            rows.append(f'<div class="row"><span class="formula">{row or "&#160;"}</span></div>')
    return f'<div class="equations{" numbered" if any(numbers) else ""}" tabindex="0">{"".join(rows)}</div>'


def formula_name(text):
    """The words beside the number of an equation: its name, its unit, where it comes from."""
    return "".join(with_scripts(html.escape(piece), *scripts) for piece, scripts in pieces(text))


# In sentences: a single letter, a digit or a closing bracket with scripts.
SCRIPTED = re.compile(rf"(?:(?<![{LETTER}0-9_`])[{LETTER}]{ACCENTS}|(?<=\d)(?=\^)|[)‖|\]])(?=[_^](?:\{{|[-−]?[{LETTER}0-9½∞*]))"
                      r"|(?<=max|min)(?=_[A-Za-z]\b)")


def pieces(text):
    """A sentence in pieces: (text, (subscript, superscript, primes)), most of them without scripts."""
    made, at = [], 0
    for match in SCRIPTED.finditer(text):
        if match.start() < at:
            continue
        end, low, high, primes = scripts_at(text, match.end())
        made.append((text[at:match.end()], (low, high, primes)))
        at = end
    return [*made, (text[at:], ("", "", ""))]
