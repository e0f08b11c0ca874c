"""Pictures that lie beside a result, in RESULTS/pictures/: the report holds the PNG files among them."""

import base64
import re
import struct

from text import count, say

MOST_BYTES = 2_000_000  # of a picture
PAGE_BYTES = 12_000_000  # of all pictures of a page
MOST_PICTURES = 40  # of a page
START = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def size_text(size):
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def caption_of(name):
    """'cohesive_ball.000500.png' becomes 'cohesive ball, step 500'."""
    stem = re.sub(r"\.png$", "", name, flags=re.I)
    stem = re.sub(r"\.(\d{6,})(?=\.|$)", lambda found: f", step {int(found[1])}", stem)
    return " ".join(re.sub(r"\.panels$", ", panels", stem).replace("_", " ").split()) or name


def read_png(path, budget):
    """(width, height, bytes) of a file, or why it is left out."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            return "no file"
        if size > MOST_BYTES:
            return f"{size_text(size)}, at most {size_text(MOST_BYTES)} a picture; draw it with a lower --dpi"
        if size > budget["bytes"] or budget["pictures"] <= 0:
            return f"the page holds {MOST_PICTURES} pictures and {size_text(PAGE_BYTES)} of them at most"
        data = path.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if len(data) < 33 or data[:16] != START:
        return "no PNG file"
    width, height = struct.unpack(">II", data[16:24])
    if not (0 < width <= 20000 and 0 < height <= 20000):
        return f"{width} × {height} pixels, expected 1 to 20000 each"
    budget["bytes"] -= len(data)
    budget["pictures"] -= 1
    return width, height, data


def page_budget():
    return {"bytes": PAGE_BYTES, "pictures": MOST_PICTURES}


def pictures(study, card, budget):
    """The card with the pictures, and a line for each file that is left out; empty where there is no file. budget: of page_budget(),
    what is left of it."""
    try:
        paths = sorted(path for path in (study.folder / "pictures").iterdir() if not path.name.startswith("."))
    except OSError:
        return ""
    shown, left_out = [], []
    for path in paths:
        read = read_png(path, budget) if path.suffix.lower() == ".png" else "not a .png"
        if isinstance(read, str):
            left_out.append(f"{path.name}: {read}")
            continue
        (width, height, data), caption = read, say(caption_of(path.name))
        shown.append(f'<figure><img src="data:image/png;base64,{base64.b64encode(data).decode()}" width="{width}" height="{height}" alt="{caption}">'
                     f"<figcaption>{caption}</figcaption></figure>")
    if not paths:
        return ""
    more = ""
    if left_out:
        listed = "".join(f"<li>{say(line)}</li>" for line in left_out[:MOST_PICTURES])
        more = f'<p class="soft">{count(len(left_out), "file")} of pictures/ left out:</p><ul class="soft">{listed}</ul>'
        if len(left_out) > MOST_PICTURES:
            more += f'<p class="soft">These are the first {MOST_PICTURES}.</p>'
    return card("Pictures", (f'<div class="pictures">{"".join(shown)}</div>' if shown else "") + more)
