"""Pictures of dumps: the bodies by their speed or by their piece, and beside them the contacts by their impulses."""

import io
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, Normalize, PowerNorm
from matplotlib.figure import Figure
from output_file import write_output
from PIL import Image
from plotting import GREY, set_ticks, text_width
from scene.dump import HALF_SPACE
from scene.pieces import COLOURS as PIECES, colour_names, colour_numbers, pieces_text
from scene.render import axes_of, bounds_of, cut_at, frame_of, framed, grid_step, is_solid, outline, render

BODY, OBSTACLE = np.array([0.42, 0.60, 0.82]), np.array([0.72, 0.70, 0.66])
NEIGHBOUR = np.array([0.66, 0.80, 0.62])  # every second rigid mesh, which would look like one with the next
SPEEDS, IMPULSES = colormaps["viridis"], colormaps["plasma_r"]
PALE = 0.30  # of the colours of bodies behind contacts
WALL_LINE = 0.035  # length of the lines of contacts of rigid meshes, over the size of what is shown
COLOURS = 200  # of a file
AT_REST = 1e-8  # m/s: what no slower body differs in
AREA, LONGEST = 150_000, 560  # of a panel, pixels at 100 dpi
LEFT, BELOW, ABOVE, BAR = 14, 30, 34, 84  # margins, pixels at 100 dpi
LABEL = 34  # height of what stands above a panel with a label


@dataclass
class Look:
    """The common data of all pictures of a series."""

    camera: object
    bounds: tuple
    fastest: float  # m/s; 0: no body is coloured by its speed
    largest: float  # impulse, N·s
    impulses: bool  # whether the dumps have any
    scale: str
    dpi: int
    cut: object = None  # a Cut that opens meshes
    gap: float | None = None  # m: bodies are coloured by the pieces that contacts up to this gap join; None: by speed


def look_of(dumps, view, dpi, cut=False, gap=None):
    """view: (azimuth, elevation) of the eye, degrees; cut: whether meshes are cut open; gap: of the contacts that join pieces, m."""
    axes, bounds = axes_of(*view), bounds_of(dumps)
    points = outline(dumps[0], bounds)
    span = np.maximum(np.ptp(points @ axes[:2].T, axis=0), 1e-12)
    ratio = float(np.clip(span[0] / span[1], 0.4, 2.5))
    height = min(LONGEST, (AREA / ratio) ** 0.5)
    width, height = (round(side * dpi / 100) for side in (min(LONGEST, ratio * height), height))
    fastest, largest, impulses = 0.0, 0.0, False
    for dump in dumps:
        if dump.velocities is not None and gap is None:
            fastest = max([fastest, dump.speeds[dump.present[:dump.bodies]].max(initial=0.0),
                           *(mesh.speeds.max() for mesh in dump.meshes)])
        if dump.impulses is not None:
            largest, impulses = max(largest, np.linalg.norm(dump.impulses, axis=1).max(initial=0.0)), True
    planes = [abs(turn[:, 2]).max() > 0.999 for kind, turn in zip(dumps[0].kinds, dumps[0].rotations) if kind == HALF_SPACE]
    camera = framed(points, axes, width, height)
    scale = f"lines of the floor: {grid_step(np.max(bounds[1] - bounds[0])):g} m apart" if any(planes) else ""
    if planes and not scale:  # slopes have no lines
        scale = f"a panel is {camera.pixel * width:.3g} m wide"
    return Look(camera, bounds, fastest if fastest > AT_REST else 0.0, largest, impulses, scale, dpi,
                cut_at(camera, bounds) if cut else None, gap)


def body_scale(look):
    """The scale of the colour bar of the bodies."""
    if look.gap is not None:
        return ScalarMappable(Normalize(-0.5, len(PIECES) - 0.5), ListedColormap(PIECES))
    return ScalarMappable(Normalize(0.0, look.fastest), SPEEDS)


def impulse_scale(look):
    return ScalarMappable(PowerNorm(0.5, 0.0, look.largest or 1.0), IMPULSES)


def body_colours(dump, look):
    colours = np.tile(BODY, (len(dump.kinds), 1))
    if look.gap is not None:
        colours[:dump.bodies] = body_scale(look).to_rgba(colour_numbers(dump, look.gap))[:, :3]
    elif look.fastest > 0 and dump.velocities is not None:
        colours[:dump.bodies] = SPEEDS(dump.speeds / look.fastest)[:, :3]
    colours[dump.bodies:] = OBSTACLE
    return colours


def mesh_colours(dump, look):
    """Of the nodes of each mesh."""
    if look.gap is not None:
        colours = body_colours(dump, look)
        return [np.tile(colours[mesh.number], (len(mesh.places), 1)) for mesh in dump.meshes]

    def plain(mesh):
        if mesh.number >= dump.bodies:
            return OBSTACLE
        return NEIGHBOUR if mesh.number % 2 and not len(mesh.elements) else BODY

    return [SPEEDS(mesh.speeds / look.fastest)[:, :3] if look.fastest > 0 and mesh.number < dump.bodies
            else np.tile(plain(mesh), (len(mesh.places), 1)) for mesh in dump.meshes]


def reaches(dump, look):
    """Half the thickness of the thinner of the bodies of each contact, m: the length of its line. Rigid meshes may be thin walls."""
    longest = float(np.linalg.norm(look.bounds[1] - look.bounds[0]))
    half = np.full(len(dump.kinds) + 1, np.inf)  # the last one: what does not move and has no surface
    for mesh in dump.meshes:
        half[mesh.number] = 0.5 * np.ptp(mesh.starts, axis=0).min() if len(mesh.elements) else WALL_LINE * longest
    for number in range(dump.bodies):
        if is_solid(dump.kinds[number]):
            half[number] = np.linalg.norm(frame_of(dump, number, longest), axis=0).min()
    least = half[dump.sides].min(axis=1) if len(dump.sides) else np.zeros(0)
    return np.where(np.isfinite(least), least, 0.02 * longest)


def contact_lines(dump, look):
    """(ends in pixels, sizes) of the contacts that carry something, and the pixels of the others."""
    along, sizes = dump.frames[:, 0], np.ones(len(dump.points))
    if dump.impulses is not None:
        sizes = np.linalg.norm(dump.impulses, axis=1)
        carried = sizes > 1e-6 * max(look.largest, 1e-300)
        along = np.where(carried[:, None], dump.impulses / np.where(carried, sizes, 1.0)[:, None], along)
    else:
        carried = np.ones(len(dump.points), bool)
    reach = reaches(dump, look)[:, None] * along
    is_body = (dump.sides >= 0) & (dump.sides < dump.bodies)
    first, last = np.where(is_body[:, :1], -reach, 0.0), np.where(is_body[:, 1:], reach, 0.0)
    pixels = [look.camera.project(dump.points + end) for end in (first, last)]
    kept = np.ones(len(dump.points), bool) if look.cut is None else ~look.cut.beyond(dump.points)
    return np.stack(pixels, axis=1)[carried & kept], sizes[carried & kept], look.camera.project(dump.points)[~carried & kept]


def draw_contacts(axes, dump, look):
    """Returns the artists."""
    ends, sizes, idle = contact_lines(dump, look)
    dots = axes.plot(idle[:, 0], idle[:, 1], linestyle="none", marker="o", markersize=1.8, color="#888888", markeredgewidth=0)
    many = min(1.0, (2000 / max(len(sizes), 1)) ** 0.5)
    if dump.impulses is None:
        return [*dots, axes.add_collection(LineCollection(ends, colors="#B03000", linewidths=many))]
    order = np.argsort(sizes, kind="stable")  # the largest on top
    share = np.sqrt(sizes / (look.largest or 1.0))[order]
    return [*dots, axes.add_collection(LineCollection(ends[order], colors=impulse_scale(look).to_rgba(sizes[order]),
                                                      linewidths=many * (0.7 + 3.3 * share), capstyle="round"))]


def title_of(dump, gap=None):
    """gap: of the contacts that join pieces, m; None: no pieces are told."""
    bodies = int(dump.present[:dump.bodies].sum())
    words = [] if dump.step is None else [f"step {dump.step}", f"t = {dump.time:.6g} s"]
    words += [f"{bodies} {'body' if bodies == 1 else 'bodies'}",
              f"{len(dump.points)} {'contact' if len(dump.points) == 1 else 'contacts'}"]
    words += [] if gap is None else [pieces_text(dump, gap)]
    return ", ".join(words)


def notes_of(look, panels):
    words = [look.scale]
    if "contacts" in panels:
        side = "right: " if len(panels) > 1 else ""
        words.append(side + ("impulses of the contacts; dots carry none" if look.impulses else "normals of the contacts"))
    return "     ".join(word for word in words if word)


def empty_panel(figure, place, look):
    """Axes in pixels at (left, bottom, width, height), shares of the figure."""
    axes = figure.add_axes(place)
    axes.set_xlim(0, look.camera.width)
    axes.set_ylim(look.camera.height, 0)
    axes.set_axis_off()
    return axes


def paint_panel(axes, dump, look, panel, image):
    """image: of the bodies. Returns the artists, from below to above."""
    camera = look.camera
    below = axes.imshow(image if panel == "bodies" else 1.0 - PALE * (1.0 - image), interpolation="nearest", aspect="auto",
                        extent=(0, camera.width, camera.height, 0))
    return [below, *(draw_contacts(axes, dump, look) if panel == "contacts" else ())]


def has_bar(look, panel):
    return (look.fastest > 0 or look.gap is not None) if panel == "bodies" else look.largest > 0


def add_bar(figure, place, panel, look):
    """The colour bar of a panel."""
    bar = figure.colorbar(body_scale(look) if panel == "bodies" else impulse_scale(look), cax=figure.add_axes(place))
    if panel == "bodies" and look.gap is not None:
        set_ticks(bar.ax.yaxis, list(range(len(PIECES))), colour_names())
        bar.ax.minorticks_off()
        bar.ax.invert_yaxis()
    words = "impulse (N·s)" if panel == "contacts" else "speed (m/s)" if look.gap is None else "piece, by its number of bodies"
    bar.set_label(words, fontsize=8, labelpad=4)
    bar.ax.tick_params(labelsize=7, pad=1, length=2)
    bar.outline.set_visible(False)


def empty_figure(size, dpi):
    """size: width and height, pixels."""
    figure = Figure(figsize=(size[0] / dpi, size[1] / dpi), dpi=dpi)
    FigureCanvasAgg(figure)
    return figure


class Sheet:
    """The page of all pictures of a series. What they have in common is drawn once."""

    def __init__(self, look, scene, show="both"):
        """show: bodies, contacts or both."""
        camera, unit = look.camera, look.dpi / 100
        panels = ["bodies", "contacts"] if show == "both" else [show]
        widths = [camera.width + unit * (BAR if has_bar(look, panel) else LEFT) for panel in panels]
        size = sum(widths) + unit * LEFT, camera.height + unit * (BELOW + ABOVE)
        self.look, self.panels, left = look, {}, unit * LEFT
        self.figure = empty_figure(size, look.dpi)
        for panel, width in zip(panels, widths):
            place = left / size[0], unit * BELOW / size[1], camera.width / size[0], camera.height / size[1]
            self.panels[panel] = empty_panel(self.figure, place, look)
            if has_bar(look, panel):
                x = (left + camera.width + unit * 4) / size[0]
                y, height = (unit * BELOW + 0.15 * camera.height) / size[1], 0.7 * camera.height / size[1]
                add_bar(self.figure, (x, y, unit * 10 / size[0], height), panel, look)
            left += width
        top = 1 - unit * 20 / size[1]
        self.figure.text(unit * LEFT / size[0], top, scene, fontsize=10, weight="bold")
        self.figure.text(unit * LEFT / size[0], unit * 10 / size[1], notes_of(look, panels), fontsize=7, color=GREY)
        self.title = self.figure.text(1 - unit * LEFT / size[0], top, "", fontsize=8, ha="right", animated=True)
        self.taken = text_width(scene, 10) * 1.1 + 2.5 * unit * LEFT / look.dpi  # inches of the line: bold, and margins
        self.figure.canvas.draw()
        self.common = self.figure.canvas.copy_from_bbox(self.figure.bbox)

    def picture(self, dump):
        look, canvas = self.look, self.figure.canvas
        image = render(dump, look.camera, look.bounds, body_colours(dump, look), mesh_colours(dump, look), look.cut)
        canvas.restore_region(self.common)
        for panel, axes in self.panels.items():
            for artist in paint_panel(axes, dump, look, panel, image):
                axes.draw_artist(artist)
                artist.remove()
        words, room = title_of(dump, look.gap), self.figure.get_size_inches()[0] - self.taken
        self.title.set(text=words, fontsize=min(8.0, max(4.0, 8.0 * room / text_width(words, 8))))
        self.figure.draw_artist(self.title)
        return image_of(canvas)


def write_label(figure, place, label, dump, look):
    """Above the middle of the upper edge of a panel, place: what it is, and below it, small, step, time and sizes."""
    words = label + (f": {pieces_text(dump, look.gap)}" if look.gap is not None else "")
    inches, height = look.camera.width / look.dpi, figure.get_size_inches()[1]
    for text, size, above, colour in ((words, 10, 0.20, "black"), (title_of(dump), 7.5, 0.06, GREY)):
        points = size * min(1.0, inches / text_width(text, size))
        figure.text(place[0], place[1] + above / height, text, fontsize=points, ha="center", color=colour)


def draw_panels(dumps, look, panel="bodies", labels=(), in_a_row=False):
    """The figure of several dumps side by side, two or three in a row, with one colour bar. panel: bodies or contacts; labels: above
    each; in_a_row: three are not two and one."""
    camera, unit, count = look.camera, look.dpi / 100, len(dumps)
    columns = min(count, 2 if count <= 4 and not (in_a_row and count == 3) else 3)
    rows = -(-count // columns)
    each = camera.width + unit * LEFT, camera.height + unit * (LEFT + (LABEL if labels else 0))
    size = columns * each[0] + unit * BAR, rows * each[1] + unit * (BELOW + ABOVE - LEFT)
    figure = empty_figure(size, look.dpi)
    for number, dump in enumerate(dumps):
        left = unit * LEFT + number % columns * each[0]
        bottom = unit * BELOW + (rows - 1 - number // columns) * each[1]
        image = render(dump, camera, look.bounds, body_colours(dump, look), mesh_colours(dump, look), look.cut)
        place = left / size[0], bottom / size[1], camera.width / size[0], camera.height / size[1]
        paint_panel(empty_panel(figure, place, look), dump, look, panel, image)
        if labels:
            write_label(figure, ((left + 0.5 * camera.width) / size[0], (bottom + camera.height) / size[1]), labels[number], dump, look)
            continue
        figure.text((left + unit * 6) / size[0], (bottom + camera.height - unit * 6) / size[1], title_of(dump, look.gap),
                    fontsize=8, va="top")
    if has_bar(look, panel):
        x, height = (columns * each[0] + unit * LEFT) / size[0], min(0.7 * size[1], 0.9 * unit * LONGEST)
        add_bar(figure, (x, 0.5 * (size[1] - height) / size[1], unit * 10 / size[0], height / size[1]), panel, look)
    figure.text(unit * LEFT / size[0], 1 - unit * 20 / size[1], dumps[0].scene, fontsize=10, weight="bold")
    figure.text(unit * LEFT / size[0], unit * 10 / size[1], notes_of(look, [panel]), fontsize=7, color=GREY)
    return figure


def image_of(canvas):
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def pixels_of(figure):
    figure.canvas.draw()
    return image_of(figure.canvas)


def write_picture(path, image, **how):
    picture = io.BytesIO()
    image.save(picture, **how)
    write_output(path, picture.getvalue())


def with_few_colours(image):
    """With a palette: half of it the most frequent colours, the rest one after the other what is farthest from those taken.
    (Pillow's median cut keeps some megabytes of each picture.)"""
    pixels = np.asarray(image, np.int64)
    codes = ((pixels[..., 0] >> 3) * 1024 + (pixels[..., 1] >> 3) * 32 + (pixels[..., 2] >> 3)).ravel()
    counts = np.bincount(codes, minlength=32**3)
    kinds = np.flatnonzero(counts)
    members, counts = np.cumsum(counts > 0)[codes] - 1, counts[kinds]
    means = np.stack([np.bincount(members, pixels[..., k].ravel()) / counts for k in range(3)], axis=1)
    taken = list(np.argsort(-counts, kind="stable")[: COLOURS // 2])
    distances = ((means[:, None] - means[None, taken]) ** 2).sum(axis=-1)
    nearest, least = distances.argmin(axis=1), distances.min(axis=1)
    while len(taken) < min(COLOURS, len(kinds)):
        taken.append(int(np.argmax(least * np.sqrt(counts))))
        distance = ((means - means[taken[-1]]) ** 2).sum(axis=-1)
        nearest, least = np.where(distance < least, len(taken) - 1, nearest), np.minimum(least, distance)
    few = Image.fromarray(nearest[members].reshape(pixels.shape[:2]).astype(np.uint8))
    few.putpalette(np.round(means[taken]).astype(np.uint8).tobytes())
    return few


def write_png(image, path, dpi):
    """With few colours, which makes it small. Same data, same bytes."""
    write_picture(path, with_few_colours(image), format="PNG", optimize=True, dpi=(dpi, dpi))


def write_gif(images, path, rate):
    """rate: pictures a second. The last one stays for a second."""
    chosen = images[:: -(-len(images) // 4)]
    mosaic = Image.new("RGB", (images[0].width, images[0].height * len(chosen)))
    for k, image in enumerate(chosen):
        mosaic.paste(image, (0, k * images[0].height))
    palette = mosaic.quantize(COLOURS, dither=Image.Dither.NONE)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    times = [round(1000 / rate)] * (len(frames) - 1) + [1000]
    write_picture(path, frames[0], format="GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=False)
