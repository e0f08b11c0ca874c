"""Pictures that lie beside a result, in RESULTS/pictures/: the report holds the PNG and GIF files among them."""

import base64
import re
import struct

from text import count, say

MOST_BYTES = 2_000_000  # of a picture
PAGE_BYTES = 12_000_000  # of all pictures of a page
MOST_PICTURES = 40  # of a page
PNG_START = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def size_text(size):
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def caption_of(name):
    """'cohesive_ball.000500.png' becomes 'cohesive ball, step 500'."""
    stem = re.sub(r"\.(png|gif)$", "", name, flags=re.I)
    stem = re.sub(r"\.(\d{6,})(?=\.|$)", lambda found: f", step {int(found[1])}", stem)
    return " ".join(re.sub(r"\.panels$", ", panels", stem).replace("_", " ").split()) or name


def size_of(data, kind):
    """(width, height) of a picture, pixels; None where the bytes are none of its kind, png or gif."""
    if kind == "png":
        return struct.unpack(">II", data[16:24]) if len(data) >= 33 and data[:16] == PNG_START else None
    return struct.unpack("<HH", data[6:10]) if len(data) >= 14 and data[:6] in (b"GIF87a", b"GIF89a") else None


def read_picture(path, kind, budget):
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
    size = size_of(data, kind)
    if size is None:
        return f"no {kind.upper()} file"
    width, height = size
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
        kind = path.suffix.lower()[1:]
        read = read_picture(path, kind, budget) if kind in ("png", "gif") else "not a .png or .gif"
        if isinstance(read, str):
            left_out.append(f"{path.name}: {read}")
            continue
        (width, height, data), caption = read, say(caption_of(path.name))
        shown.append(f'<figure><img src="data:image/{kind};base64,{base64.b64encode(data).decode()}" width="{width}" height="{height}" alt="{caption}">'
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
