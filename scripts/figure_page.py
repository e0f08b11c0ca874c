"""The page of a figure: panels of a given width in print, and the legend, title and notes around them. Lengths are inches."""

from dataclasses import dataclass

from plotting import GREY, NARROW, SMALL, TEXT, layout, text_width
from series_styles import listed  # noqa: F401  (the figures take it from here)

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

LEFT, RIGHT, BELOW, ABOVE, GAP = 0.6, 0.1, 0.42, 0.1, 0.16
MARGIN = 0.04  # of the page, which nothing enters
SPACE = 0.16  # between columns of the legend
BESIDE = 0.2  # between a panel and the legend at its right
SAMPLE, PATCH = 0.36, 0.2  # the piece of line, or of colour, in the legend
LINE = 1.25  # height of a text line over its size
MOST_BESIDE = 3.0  # height of a legend that still stands at the right


@dataclass
class Entry:
    """A row of the legend: a line, what it is, and below it, small, how it ended. `style` None: a heading."""

    text: str
    style: dict | None = None
    below: str = ""
    line: bool = True  # False: the colour alone
    formula: bool = False


@dataclass
class Page:
    figure: Figure
    panels: list  # axes, in reading order
    across: int  # panels in a row
    inside: list  # entries of the legend that stands in the first panel

    def at_left(self, axes):
        return self.panels.index(axes) % self.across == 0


def row_height(entries):
    return (SMALL * LINE + (6.0 * LINE if any(e.below for e in entries) else 1.5)) / 72


def entry_width(entry):
    if entry.style is None:
        return 1.15 * text_width(entry.text, SMALL)  # bold
    return (SAMPLE if entry.line else PATCH) + 0.08 + max(text_width(entry.text, SMALL, entry.formula), text_width(entry.below, 6.0) if entry.below else 0.0)


def draw_entry(axes, entry, x, y, row):
    """The row whose upper left corner is (x, y), in inches of the axes."""
    start = x
    if entry.style is not None:
        middle = y - row / 2
        if entry.line:
            axes.add_line(Line2D([x, x + SAMPLE / 2, x + SAMPLE], [middle] * 3, linewidth=1.1, markersize=3.6, markevery=[1],
                                 markerfacecolor="white", markeredgewidth=0.8, **entry.style))
        else:
            axes.add_line(Line2D([x, x + PATCH], [middle] * 2, linewidth=4.0, color=entry.style["color"],
                                 solid_capstyle="butt"))
        start = x + (SAMPLE if entry.line else PATCH) + 0.08
    if entry.below:
        axes.text(start, y - row * 0.5, entry.text, fontsize=SMALL, va="bottom")
        axes.text(start, y - row * 0.53, entry.below, fontsize=6.0, va="top", color=GREY)
    else:
        axes.text(start, y - row / 2, entry.text, fontsize=SMALL, va="center", parse_math=entry.formula,
                  weight="bold" if entry.style is None else "normal")


def in_columns(widths, room, across):
    """(left edges of the columns, places in them as (column, line)) of things with these widths in as few lines as the room allows,
    read along the lines or else down the columns; each column is as wide as its widest."""
    for lines in range(1, len(widths) + 1):
        columns = -(-len(widths) // lines)
        places = [(k % columns, k // columns) if across else divmod(k, lines) for k in range(len(widths))]
        edges = [0.0]
        for column in range(columns):
            edges.append(edges[-1] + SPACE + max((w for w, place in zip(widths, places) if place[0] == column), default=0.0))
        if edges[-1] - SPACE <= room or lines == len(widths):
            return edges, places
    return [0.0], []


def arranged(entries, room):
    """([(entry, left edge, upper edge, height)], height of all): a heading stands before the rows that are its own, and the others in
    columns. room: the width."""
    sections, placed, top = [], [], 0.0
    for entry in entries:
        if entry.style is None or not sections:
            sections.append((entry if entry.style is None else None, []))
        if entry.style is not None:
            sections[-1][1].append(entry)
    for heading, members in sections:
        row, widths = row_height(members), [entry_width(entry) for entry in members]
        indent = entry_width(heading) + SPACE if heading else 0.0
        edges, places = in_columns(widths, room - indent, heading is not None)
        if heading:
            above = max(edges[-1] - SPACE, *widths, 0.0) > room - indent  # they have no room beside it
            placed.append((heading, 0.0, top, row_height([heading]) if above else row))
            if above:
                top, indent = top + row_height([heading]), 0.0
                edges, places = in_columns(widths, room, True)
        placed += [(entry, indent + edges[column], top + line * row, row) for entry, (column, line) in zip(members, places)]
        top += row * (1 + max((line for _, line in places), default=0))
    return placed, top


def draw_legend(figure, placed, left, top, width, height):
    """The labels that arranged() has placed, from the upper left corner (left, top)."""
    size = figure.get_size_inches()
    axes = figure.add_axes((left / size[0], (top - height) / size[1], width / size[0], height / size[1]))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    for entry, x, y, row in placed:
        draw_entry(axes, entry, x, height - y, row)


def wrapped(text, width, points):
    """Lines that are no wider than that, as long as no word is."""
    lines = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, points) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def make_page(width, panels, entries, notes=(), title=(), height=2.3, shared=True, across=None, heading=0.0, stacked=False):
    """Rows of `across` panels (all in one by default; one below the other on a narrow page), the legend at the right of a single panel
    if it fits there, else below.

    title: (words, words below); height: of a panel; shared: panels of a row share what stands at their left; heading: room above each
    row; stacked: rows share the horizontal axis, which the last one has."""
    across = 1 if width < NARROW else across or panels
    rows = -(-panels // across)
    inside, entries = (entries, []) if layout.legend_at == "inside" else ([], entries if layout.legend_at != "off" else [])
    notes = [*notes, *([f"Compare {layout.where}."] if layout.where else []), *([layout.mark] if layout.mark else [])] if layout.notes else []
    longest = max((entry_width(e) for e in entries), default=0.0)
    line = row_height(entries)
    at_right = entries and layout.legend_at == "auto" and panels == 1 and width >= NARROW and len(entries) * line <= max(MOST_BESIDE, height) and longest < 0.42 * width
    inner = width - LEFT - RIGHT - (longest + BESIDE if at_right else 0.0)
    gap = GAP if shared else LEFT
    panel_width = (inner - gap * (across - 1)) / across
    height = max(height, len(entries) * line) if at_right else height
    placed, tall = ([(e, 0.0, k * line, line) for k, e in enumerate(entries)], len(entries) * line) if at_right else arranged(entries, width - 0.28)
    legend = 0.0 if at_right or not entries else tall + 0.1
    lines = wrapped("  ".join(notes), width - 0.2, 6.5)
    foot = len(lines) * 6.5 * LINE / 72 + (0.08 if lines else 0.0)
    titles = [text for text in title if text]
    if titles and layout.where:
        titles[1:] = [": ".join((layout.where, *titles[1:]))]
    titles = [(text, k) for k, text in enumerate(titles) for text in wrapped(text, width - 0.2, SMALL + 0.5 if k else 1.1 * (TEXT + 0.5))]
    head = sum(0.15 if k else 0.19 for _, k in titles)
    pitch = height + (GAP if stacked else BELOW) + heading
    total = head + ABOVE + (rows - 1) * pitch + heading + height + BELOW + legend + foot + 0.03
    figure = Figure(figsize=(width, total))
    FigureCanvasAgg(figure)
    page = Page(figure, [], across, inside)
    for k in range(panels):
        row, column = divmod(k, across)
        left = LEFT + column * (panel_width + gap)
        bottom = total - head - ABOVE - heading - height - row * pitch
        page.panels.append(figure.add_axes((left / width, bottom / total, panel_width / width, height / total)))
    if entries and at_right:
        draw_legend(figure, placed, width - RIGHT - longest, total - head - ABOVE, longest, tall)
    elif entries:
        draw_legend(figure, placed, 0.14, foot + legend, width - 0.2, tall)
    for k, text in enumerate(lines):
        figure.text(0.14 / width, (foot - 0.02 - k * 6.5 * LINE / 72) / total, text, fontsize=6.5, color=GREY, va="top")
    for row, (text, k) in enumerate(titles):
        figure.text(0.14 / width, 1 - (0.16 + 0.16 * row) / total, text, fontsize=SMALL + 0.5 if k else TEXT + 0.5,
                    weight="normal" if k else "bold", color=GREY if k else "black")
    return page


def label_y(axes, text):
    """The text at the left of a panel, in lines that are no longer than the panel is high."""
    height = axes.get_window_extent().height / axes.figure.dpi
    axes.set_ylabel("\n".join(wrapped(text, height, TEXT)))


def draw_inside(axes, entries):
    """The legend in a panel, where it hides least."""
    styles = [{"linestyle": "none", "marker": ""} if e.style is None else e.style if e.line else {"color": e.style["color"], "linewidth": 4.0}
              for e in entries]
    handles = [Line2D([], [], **{"linewidth": 1.1, "markersize": 3.6, "markerfacecolor": "white", "markeredgewidth": 0.8, **look})
               for look in styles]
    axes.legend(handles, [entry.text for entry in entries], loc="best", fontsize=SMALL, frameon=True, framealpha=0.9, edgecolor="#cccccc",
                handlelength=2.4, borderpad=0.3, labelspacing=0.25)


def finish(page):
    """Draws the legend that stands in a panel, and makes the panels narrower where ticks and labels would come too near to an edge of the
    page."""
    if page.inside:
        draw_inside(page.panels[0], page.inside)
    figure = page.figure
    inches = figure.get_size_inches()[0]
    boxes = [axes.get_tightbbox(figure.canvas.get_renderer()) for axes in page.panels if axes.get_visible()]
    left = max(0.0, *(MARGIN - box.x0 / figure.dpi for box in boxes)) / inches
    right = max(0.0, *(MARGIN - inches + box.x1 / figure.dpi for box in boxes)) / inches
    for k, axes in enumerate(page.panels):
        box, less = axes.get_position(), (left + right) / page.across
        axes.set_position((box.x0 + left - k % page.across * less, box.y0, box.width - less, box.height))


def plain_frame(axes):
    axes.grid(color="#e4e4e4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=2.5, pad=2)
    axes.tick_params(which="minor", length=1.5)

