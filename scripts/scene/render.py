"""Draws bodies and obstacles as an image, seen along parallel rays: for each pixel the nearest surface, shaded."""

import math
from dataclasses import dataclass

import numpy as np
from scene.dump import BOX, CAVITY, CYLINDER, DRUM, ELLIPSOID, HALF_SPACE, MESH, SPHERE

FINER = 2  # rays along each side of a pixel
FACETS = 32  # of a drum
LIGHT = np.array([-0.45, 0.55, 0.70])  # to the right, up, towards the eye
WALL = np.array([0.90, 0.90, 0.88])
DARK = 0.42  # light in the shade
LEVELS = 14  # of light and shade: few, so that files are small
SECTION = 0.60  # of a colour where a body is cut open


@dataclass
class Camera:
    """Axes are rows: to the right, up, towards the eye. A pixel is `pixel` m wide, and `centre` is in the middle."""

    axes: np.ndarray
    centre: np.ndarray
    pixel: float
    width: int
    height: int

    def project(self, points):
        """Pixels from the upper left corner."""
        seen = (points - self.centre) @ self.axes[:2].T / self.pixel
        return np.column_stack([seen[:, 0] + 0.5 * self.width, 0.5 * self.height - seen[:, 1]])


def axes_of(azimuth, elevation):
    """The direction of the eye, in degrees: around z from x, and above the plane of x and y."""
    a, e = math.radians(azimuth), math.radians(elevation)
    return np.array([[-math.sin(a), math.cos(a), 0.0],
                     [-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)],
                     [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]])


@dataclass
class Cut:
    """The plane normal · x = offset: what lies on the side of the eye is left out."""

    normal: np.ndarray
    offset: float

    def beyond(self, points):
        return points @ self.normal > self.offset


def cut_at(camera, bounds):
    """Upright through the middle of the bounds, facing the eye; level where the eye is above."""
    normal = camera.axes[2] * [1.0, 1.0, 0.0]
    normal = normal / np.linalg.norm(normal) if np.linalg.norm(normal) > 0.1 else camera.axes[2]
    return Cut(normal, 0.5 * float((bounds[0] + bounds[1]) @ normal))


def is_solid(kind):
    return kind in (SPHERE, ELLIPSOID, BOX, CYLINDER)


def scaling(kind, sizes, longest):
    """The half lengths by which a unit ball, cube or cylinder becomes the shape; what is infinite is cut at `longest`."""
    if kind == SPHERE:
        return np.full(3, sizes[0])
    if kind == CYLINDER:
        return np.array([sizes[0], sizes[0], min(sizes[1], longest)])
    return sizes


def frame_of(dump, number, longest):
    """The map from the unit shape to the world, without the position."""
    kind = dump.kinds[number]
    turn = np.eye(3) if kind == SPHERE else dump.rotations[number]
    return turn * scaling(kind, dump.sizes[number], longest)


def extent(kind, frame):
    """How far a solid reaches along each axis of the world from its centre, m."""
    if kind in (SPHERE, ELLIPSOID):
        return np.linalg.norm(frame, axis=1)
    if kind == CYLINDER:
        return np.linalg.norm(frame[:, :2], axis=1) + np.abs(frame[:, 2])
    return np.abs(frame).sum(axis=1)


def bodies_bounds(dumps):
    """The box around all solid surfaces that have entered; without any around the contacts."""
    lows, highs = [], []
    for dump in dumps:
        for number in np.flatnonzero(dump.present):
            if is_solid(dump.kinds[number]):
                finite = dump.sizes[number][np.isfinite(dump.sizes[number])]
                reach = extent(dump.kinds[number], frame_of(dump, number, finite.max()))
                lows.append(dump.positions[number] - reach)
                highs.append(dump.positions[number] + reach)
        for mesh in dump.meshes:
            lows.append(mesh.places.min(axis=0))
            highs.append(mesh.places.max(axis=0))
    if not lows:
        points = np.vstack([np.zeros((0, 3)), *(dump.points for dump in dumps)])
        points = points if len(points) else np.zeros((1, 3))
        lows, highs = points - 1.0, points + 1.0  # m
    return np.min(lows, axis=0), np.max(highs, axis=0)


def bounds_of(dumps):
    """The extent of pictures: all bodies, the cross sections of cavities, and planes that are near, with something around."""
    low, high = bodies_bounds(dumps)
    size, around, ends = np.linalg.norm(high - low), np.zeros(3), []
    for dump in dumps:
        corners = np.array([low, high])
        for number in range(dump.bodies, len(dump.kinds)):
            kind, position, axis = dump.kinds[number], dump.positions[number], dump.rotations[number][:, 2]
            if kind == HALF_SPACE:
                feet = corners - np.outer((corners - position) @ axis, axis)
                near = abs((corners - position) @ axis).min() < 3.0 * size
                corners = distinct(np.vstack([corners, feet])) if near else corners
                around = np.maximum(around, 0.08 * size * np.sqrt(np.maximum(0.0, 1.0 - axis**2)))
            elif kind in (CAVITY, DRUM):
                across = np.sqrt(np.maximum(0.0, 1.0 - axis**2))
                corners = np.vstack([corners, np.where(across > 0.5, position - dump.sizes[number, 0] * across, corners[0]),
                                     np.where(across > 0.5, position + dump.sizes[number, 0] * across, corners[0])])
                around = np.maximum(around, 0.02 * size)
        ends.append((corners.min(axis=0), corners.max(axis=0)))
    lows, highs = zip(*ends)
    return np.min(lows, axis=0) - around, np.max(highs, axis=0) + around


def distinct(points):
    """In their order, those that are no others, to a nanometre: otherwise their number would double with each plane."""
    return points[np.sort(np.unique(np.round(points, 9), axis=0, return_index=True)[1])]


def corners_of(bounds):
    return np.array([[bounds[i][0], bounds[j][1], bounds[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def outline(dump, bounds):
    """Points around all that pictures show: the ends of a cavity, as bodies are inside, or the corners of the bounds."""
    for number in range(dump.bodies, len(dump.kinds)):
        if dump.kinds[number] in (CAVITY, DRUM):
            turn, position = dump.rotations[number], dump.positions[number]
            heights = (corners_of(bounds) - position) @ turn[:, 2]
            angles = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)
            ring = dump.sizes[number, 0] * (np.outer(np.cos(angles), turn[:, 0]) + np.outer(np.sin(angles), turn[:, 1]))
            return np.vstack([position + ring + end * turn[:, 2] for end in (heights.min(), heights.max())])
    return corners_of(bounds)


def framed(points, axes, width, height):
    """The camera that sees all of the points."""
    corners = points @ axes.T
    span = corners.max(axis=0) - corners.min(axis=0)
    pixel = 1.03 * max(span[0] / width, span[1] / height, 1e-12)
    return Camera(axes, 0.5 * (corners.max(axis=0) + corners.min(axis=0)) @ axes, pixel, width, height)


def ball_hit(o, w):
    """Nearest to the eye: t and the outward normal of the unit ball, for rays o + t w; NaN where a ray passes by."""
    a, b, c = w @ w, o @ w, np.einsum("...i,...i", o, o) - 1.0
    t = (-b + np.sqrt(b * b - a * c)) / a
    return t, o + t[..., None] * w, None


def box_hit(o, w):
    """Of the unit cube; the third value is how far the point is from the nearest edge, in units of the cube."""
    safe = np.where(np.abs(w) < 1e-12, 1e-12, w)
    ends = np.stack([(-1.0 - o) / safe, (1.0 - o) / safe])
    last, first = ends.max(axis=0), ends.min(axis=0)
    axis, t = last.argmin(axis=-1), last.min(axis=-1)
    t = np.where(first.max(axis=-1) <= t, t, np.nan)
    point = o + t[..., None] * w
    normal = np.zeros_like(o)
    np.put_along_axis(normal, axis[..., None], np.sign(np.take_along_axis(point, axis[..., None], -1)), -1)
    return t, normal, np.abs(point)


def cylinder_hit(o, w):
    """Of the unit cylinder around z."""
    a, b = max(w[:2] @ w[:2], 1e-24), o[..., :2] @ w[:2]
    root = np.sqrt(b * b - a * (np.einsum("...i,...i", o[..., :2], o[..., :2]) - 1.0))
    sides = (-b + root) / a, (-b - root) / a
    dz = w[2] if abs(w[2]) > 1e-12 else 1e-12
    caps = (1.0 - o[..., 2]) / dz, (-1.0 - o[..., 2]) / dz
    last, first = np.minimum(sides[0], np.maximum(*caps)), np.maximum(sides[1], np.minimum(*caps))
    t = np.where(first <= last, last, np.nan)
    point = o + t[..., None] * w
    on_cap = (sides[0] > np.maximum(*caps))[..., None]
    return t, np.where(on_cap, [0.0, 0.0, 1.0] * np.sign(point), point * [1.0, 1.0, 0.0]), None


HITS = {SPHERE: ball_hit, ELLIPSOID: ball_hit, BOX: box_hit, CYLINDER: cylinder_hit}


def shades(seen, dark):
    """Of unit normals in the axes of the camera."""
    light = dark + (1.0 - dark) * np.clip(seen @ (LIGHT / np.linalg.norm(LIGHT)), 0.0, 1.0)
    return np.ceil(light * LEVELS) / LEVELS


class Canvas:
    """Colours and depths of the pixels, FINER times as fine as the image."""

    def __init__(self, camera, cut=None):
        self.cut = cut  # of meshes
        self.seen_by = camera  # the one that all pictures of a series share
        self.camera = Camera(camera.axes, camera.centre, camera.pixel / FINER, camera.width * FINER, camera.height * FINER)
        shape = self.camera.height, self.camera.width
        self.depths = np.full(shape, -np.inf)
        self.colours = np.ones((*shape, 3))
        right = (np.arange(shape[1]) + 0.5 - 0.5 * shape[1]) * self.camera.pixel
        up = (0.5 * shape[0] - np.arange(shape[0]) - 0.5) * self.camera.pixel
        self.right, self.up = right, up

    def paint(self, rows, columns, depth, normal, colour, edge=None, dark=DARK):
        """Draws where nearer than the present surface. normal: in the world, any length; edge: where lines are; dark: light in the shade."""
        with np.errstate(invalid="ignore"):
            nearer = depth > self.depths[rows, columns]
        if not nearer.any():
            return
        seen = normal[nearer] @ self.camera.axes.T
        seen /= np.sqrt(np.einsum("ij,ij->i", seen, seen))[:, None]
        shade = shades(seen, dark)
        if edge is None:
            shade = np.where(seen[:, 2] < 0.22, 0.45 * shade, shade)  # the rim
        else:
            shade = np.where(edge[nearer], 0.35, shade)
        self.depths[rows, columns][nearer] = depth[nearer]
        painted = colour if np.ndim(colour) == 1 else colour[nearer]
        self.colours[rows, columns][nearer] = shade[:, None] * painted

    def paint_walls(self, depth, shade):
        """Draws where nearer than the present surface, in the colour of walls."""
        with np.errstate(invalid="ignore"):
            nearer = depth > self.depths
        np.copyto(self.depths, depth, where=nearer)
        self.colours[nearer] = shade[nearer][:, None] * WALL

    def solid(self, kind, position, frame, colour):
        """A ball, box or cylinder, and what an affine map makes of them."""
        axes = self.camera.axes
        offset = (position - self.camera.centre) @ axes.T
        corner = extent(kind, axes @ frame)
        columns = slice(*np.clip(np.searchsorted(self.right, offset[0] + corner[0] * np.array([-1, 1])), 0, self.camera.width))
        rows = slice(*np.clip(np.searchsorted(-self.up, -offset[1] + corner[1] * np.array([-1, 1])), 0, self.camera.height))
        x, y = np.meshgrid(self.right[columns] - offset[0], self.up[rows] - offset[1])
        if not x.size:
            return
        inverse = (frame / np.einsum("ij,ij->j", frame, frame)).T  # its columns are at right angles
        o = (x[..., None] * axes[0] + y[..., None] * axes[1]) @ inverse.T
        with np.errstate(invalid="ignore"):
            t, normal, inside = HITS[kind](o, inverse @ axes[2])
            edge = None
            if kind in (BOX, CYLINDER):
                edge = np.zeros(t.shape, bool)
            if inside is not None:  # lines of two pixels along the edges of a box
                near = inside > 1.0 - 1.6 * self.camera.pixel / np.linalg.norm(frame, axis=0)
                edge = near.sum(axis=-1) >= 2
        self.paint(rows, columns, offset[2] + t, normal @ inverse, colour, edge)

    def triangle(self, corners, colours):
        """One with a colour at each corner, where it is turned to the eye. Of what is cut open, the inner side seen from the front is
        the section."""
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        inner = normal @ self.camera.axes[2] <= 0.0
        if inner and self.cut is None:
            return
        if inner:
            corners, colours, normal = corners[::-1], SECTION * colours[::-1], self.camera.axes[2]
        seen = (corners - self.camera.centre) @ self.camera.axes.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        columns = slice(*np.searchsorted(self.right, [low[0], high[0]]))
        rows = slice(*np.searchsorted(-self.up, [-high[1], -low[1]]))
        x, y = np.meshgrid(self.right[columns], self.up[rows])
        (ax, ay), (bx, by), (cx, cy) = seen[:, :2]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if not x.size or not area > 0.0:
            return
        second = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
        third = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
        shares = np.stack([1.0 - second - third, second, third], axis=-1)
        shown = (shares >= -1e-9).all(axis=-1)
        if self.cut is not None:
            shown &= ~self.cut.beyond(shares @ corners)
        depth = np.where(shown, shares @ seen[:, 2], np.nan)
        self.paint(rows, columns, depth, np.broadcast_to(normal, (*x.shape, 3)), shares @ colours, np.zeros(x.shape, bool),
                   dark=1.0 if inner else DARK)

    def image(self):
        """With the rays of a pixel averaged."""
        rays = [self.colours[down::FINER, across::FINER] for down in range(FINER) for across in range(FINER)]
        return sum(rays) / len(rays)


def facets(dump, number):
    """(unit normal into the free side, point) of the planes of a half-space or a drum."""
    turn, position = dump.rotations[number], dump.positions[number]
    if dump.kinds[number] == HALF_SPACE:
        return [(turn[:, 2], position)]
    angles = 2.0 * math.pi * np.arange(FACETS) / FACETS
    outward = np.outer(np.cos(angles), turn[:, 0]) + np.outer(np.sin(angles), turn[:, 1])
    return [(-n, position + math.cos(math.pi / FACETS) * dump.sizes[number, 0] * n) for n in outward]


def outside_of_cavity(dump, number, points):
    """Distance from the axis less the radius, m."""
    across = (points - dump.positions[number]) @ dump.rotations[number][:, :2]
    return np.linalg.norm(across, axis=-1) - dump.sizes[number, 0]


def grid_step(length):
    """1, 2 or 5 times a power of ten, about a tenth of the length."""
    power = 10.0 ** math.floor(math.log10(length / 5.0))
    return next(power * m for m in (5, 2, 1) if power * m <= length / 5.0)


def far_sides(canvas, planes, slack):
    """(t, number of the plane) for each ray eye + t w, w towards the eye: where it enters what is free of all planes, −inf where there is
    no plane behind; and the t at which it leaves. What is free is convex, so that it enters where the last plane behind it lies. NaN where
    a ray is never free."""
    camera, axes = canvas.camera, canvas.camera.axes
    shape = len(canvas.up), len(canvas.right)
    first, last, number = np.full(shape, -np.inf), np.full(shape, np.inf), np.full(shape, -1)
    for k, (normal, point) in enumerate(planes):
        right, up, rate = axes @ normal
        height = (camera.centre - point) @ normal
        if abs(rate) < 1e-6:
            first[np.add.outer(height + up * canvas.up, right * canvas.right) < -slack] = np.nan
            continue
        t = np.add.outer((height + up * canvas.up) / -rate, right / -rate * canvas.right)
        if rate > 0.0:
            later = t > first
            np.copyto(first, t, where=later)
            np.copyto(number, k, where=later)
        else:
            np.minimum(last, t, out=last)
    first[first > last + slack] = np.nan
    return first, number, last


def grid_lines(camera, points, normal, step):
    """The lines of a grid on a wall along the axes of the world, which show the scale."""
    lines = np.zeros(points.shape[:-1], bool)
    for axis in np.flatnonzero(np.abs(normal) < 0.5):
        phase = points[..., axis] / step
        lines |= np.abs(phase - np.round(phase)) * step < 0.8 * camera.pixel / max(abs(camera.axes[2] @ normal), 0.3)
    return lines


class Walls:
    """The walls of a series, as long as they stand where they did in the picture before."""

    key, layers = None, ()

    @classmethod
    def paint(cls, canvas, dump, bounds):
        walls = [number for number in range(dump.bodies, len(dump.kinds)) if not is_solid(dump.kinds[number]) and dump.kinds[number] != MESH]
        given = [np.asarray(values)[walls] for values in (dump.kinds, dump.positions, dump.rotations, dump.sizes)]
        key = canvas.seen_by, [values.tobytes() for values in (*given, *bounds)]
        if cls.key is None or cls.key[0] is not key[0] or cls.key[1] != key[1]:
            cls.key, cls.layers = key, list(wall_layers(canvas, dump, walls, bounds))
        for depth, shade in cls.layers:
            canvas.paint_walls(depth, shade)


def wall_layers(canvas, dump, walls, bounds):
    """(depth, shade) of the inner sides of half-spaces, drums and cylindrical cavities, where they face the eye and within the bounds."""
    camera, axes, dark = canvas.camera, canvas.camera.axes, 0.72
    planes = [plane for number in walls if dump.kinds[number] != CAVITY for plane in facets(dump, number)]
    cavities = [number for number in walls if dump.kinds[number] == CAVITY]
    low, high = bounds
    slack = 1e-6 * np.linalg.norm(high - low)
    step = grid_step(np.max(high - low))
    first, number, last = far_sides(canvas, planes, slack)
    eye = np.stack([np.add.outer(camera.centre[k] + canvas.up * axes[1, k], canvas.right * axes[0, k]) for k in range(3)])

    def free(t, others):
        """t where the point is within the bounds and in these cavities, else NaN."""
        inside = np.ones(t.shape, bool)
        with np.errstate(invalid="ignore"):
            for k in range(3):
                along = eye[k] + t * axes[2, k]
                inside &= (along >= low[k] - slack) & (along <= high[k] + slack)
            for cavity in others:
                inside &= outside_of_cavity(dump, cavity, points_at(t)) <= slack
        return np.where(inside, t, np.nan)

    def points_at(t):
        return np.moveaxis(eye + t * axes[2][:, None, None], 0, -1)

    if (number >= 0).any():
        t = free(np.where(number >= 0, first, np.nan), cavities)
        shade = shades(np.array([normal for normal, _ in planes]) @ axes.T, dark)[number]
        for k, (normal, _) in enumerate(planes):
            if np.abs(normal).max() > 0.999 and (here := (number == k) & np.isfinite(t)).any():
                points = np.stack([eye[axis][here] + t[here] * axes[2, axis] for axis in range(3)], axis=-1)
                shade[here] *= np.where(grid_lines(camera, points, normal, step), 0.82, 1.0)
        yield t, shade
    for cavity in cavities:
        turn = dump.rotations[cavity]
        o, w = (np.moveaxis(eye, 0, -1) - dump.positions[cavity]) @ turn[:, :2], axes[2] @ turn[:, :2]
        a, b, c = max(w @ w, 1e-24), o @ w, np.einsum("...i,...i", o, o) - dump.sizes[cavity, 0] ** 2
        with np.errstate(invalid="ignore"):
            t = (-b - np.sqrt(b * b - a * c)) / a
            inward = -(o + t[..., None] * w) @ turn[:, :2].T
            t = np.where((t >= first - slack) & (t <= last + slack), t, np.nan)
            seen = inward @ axes.T / np.linalg.norm(inward, axis=-1)[..., None]
        yield free(t, [other for other in cavities if other != cavity]), shades(seen, dark)


def render(dump, camera, bounds, colours, mesh_colours=(), cut=None):
    """The image of a dump, height × width × 3. colours: of all solid surfaces, one row each; mesh_colours: of each mesh, one row a
    node; cut: a Cut that opens the meshes."""
    canvas = Canvas(camera, cut)
    longest = float(np.linalg.norm(bounds[1] - bounds[0]))
    for number in np.flatnonzero(dump.present):
        if is_solid(dump.kinds[number]):
            frame = frame_of(dump, number, longest)
            canvas.solid(dump.kinds[number], dump.positions[number], frame, colours[number])
    for mesh, of_nodes in zip(dump.meshes, mesh_colours):
        for triangle in mesh.skin:
            canvas.triangle(mesh.places[triangle], of_nodes[triangle])
    Walls.paint(canvas, dump, bounds)
    return canvas.image()
