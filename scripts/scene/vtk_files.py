"""Files for ParaView in VTK's XML formats: of each step the bodies, obstacles and contacts (.vtp), elastic bodies by their elements
(.vtu), and a list of them (.pvd)."""

import base64
from xml.sax.saxutils import quoteattr

import numpy as np
from output_file import write_output
from scene.dump import BOX, CYLINDER, DRUM, HALF_SPACE
from scene.render import FACETS, bounds_of, corners_of, frame_of, is_solid

TYPES = {"f4": "Float32", "f8": "Float64", "i4": "Int32", "i8": "Int64"}
ROUND = 48  # facets of cylinders
MANY = 2000  # bodies: more are drawn with fewer facets each


def array(name, values):
    """A DataArray, in base64: the number of bytes, then the bytes."""
    values = np.ascontiguousarray(values)
    kind = values.dtype.newbyteorder("<")
    data = values.astype(kind).tobytes()
    text = base64.b64encode(np.uint64(len(data)).astype("<u8").tobytes() + data).decode("ascii")
    components = values.shape[1] if values.ndim > 1 else 1
    return (f'<DataArray type="{TYPES[values.dtype.str[1:]]}" Name={quoteattr(name)} NumberOfComponents="{components}" '
            f'format="binary">{text}</DataArray>\n')


def poly_data(points, cells, kind, point_data=(), cell_data=()):
    """The text of a .vtp file. cells: lists of numbers of points; kind: Polys or Verts; data: (name, values)."""
    sizes = {"Verts": 0, "Lines": 0, "Strips": 0, "Polys": 0, kind: len(cells)}
    counts = " ".join(f'NumberOf{name}="{size}"' for name, size in sizes.items())
    ends = np.cumsum([len(cell) for cell in cells], dtype=np.int64)
    together = np.concatenate(cells).astype(np.int64) if len(cells) else np.zeros(0, np.int64)
    return ('<?xml version="1.0"?>\n'
            '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
            f'<PolyData>\n<Piece NumberOfPoints="{len(points)}" {counts}>\n'
            f'<PointData>\n{"".join(array(*data) for data in point_data)}</PointData>\n'
            f'<CellData>\n{"".join(array(*data) for data in cell_data)}</CellData>\n'
            f'<Points>\n{array("points", np.asarray(points).reshape(-1, 3))}</Points>\n'
            f'<{kind}>\n{array("connectivity", together)}{array("offsets", ends)}</{kind}>\n'
            '</Piece>\n</PolyData>\n</VTKFile>\n')


TETRAHEDRON, HEXAHEDRON = 10, 12  # VTK's numbers of cells
VTK_CORNERS = [0, 1, 3, 2, 4, 5, 7, 6]  # of a hexahedron: VTK goes around its faces


def unstructured_grid(meshes):
    """The text of a .vtu file: nodes with velocity, speed and displacement, elements with body and von Mises stress."""
    nodes = np.cumsum([0, *(len(mesh.places) for mesh in meshes)])
    cells = [mesh.elements[:, VTK_CORNERS] if mesh.elements.shape[1] == 8 else mesh.elements for mesh in meshes]
    connectivity = np.concatenate([(cell + first).ravel() for cell, first in zip(cells, nodes)]).astype(np.int64)
    sizes = np.concatenate([np.full(len(cell), cell.shape[1]) for cell in cells])
    types = np.where(sizes == 8, HEXAHEDRON, TETRAHEDRON).astype(np.int32)
    owners = np.concatenate([np.full(len(cell), body, np.int32) for body, cell in enumerate(cells)])

    def of_nodes(values):
        return np.concatenate([values(mesh) for mesh in meshes]).astype(np.float32)

    point_data = [("velocity", of_nodes(lambda mesh: mesh.velocities)), ("speed", of_nodes(lambda mesh: mesh.speeds)),
                  ("displacement", of_nodes(lambda mesh: mesh.places - mesh.starts))]
    cell_data = [("body", owners), ("von_mises_stress", np.concatenate([mesh.stresses for mesh in meshes]))]
    return ('<?xml version="1.0"?>\n'
            '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
            f'<UnstructuredGrid>\n<Piece NumberOfPoints="{nodes[-1]}" NumberOfCells="{len(sizes)}">\n'
            f'<PointData>\n{"".join(array(*data) for data in point_data)}</PointData>\n'
            f'<CellData>\n{"".join(array(*data) for data in cell_data)}</CellData>\n'
            f'<Points>\n{array("points", of_nodes(lambda mesh: mesh.places))}</Points>\n'
            f'<Cells>\n{array("connectivity", connectivity)}{array("offsets", np.cumsum(sizes, dtype=np.int64))}'
            f'{array("types", types)}</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n')


def unit_ball(divisions):
    """Points and triangles of an icosahedron, each triangle divided into four again and again, on the unit sphere."""
    golden = 0.5 * (1.0 + 5.0**0.5)
    points = [np.array(p) for s in (-1.0, 1.0) for t in (-golden, golden) for p in ((0.0, s, t), (s, t, 0.0), (t, 0.0, s))]
    triangles = [(i, j, k) for i in range(12) for j in range(i) for k in range(j)
                 if all(abs(np.linalg.norm(points[a] - points[b]) - 2.0) < 1e-9 for a, b in ((i, j), (j, k), (i, k)))]
    triangles = [t if np.dot(np.cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]), points[t[0]]) > 0 else t[::-1]
                 for t in triangles]
    for _ in range(divisions):
        middles, finer = {}, []

        def middle(a, b):
            key = min(a, b), max(a, b)
            if key not in middles:
                middles[key] = len(points)
                points.append(0.5 * (points[a] + points[b]))
            return middles[key]

        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = finer
    return np.array([p / np.linalg.norm(p) for p in points]), triangles


def unit_cube():
    points = np.array([[2.0 * (k & 1) - 1.0, (k & 2) - 1.0, 0.5 * (k & 4) - 1.0] for k in range(8)])
    return points, [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def unit_tube(count, capped, turned=0.0):
    """A prism around z from −1 to 1, its corners on the unit circle."""
    angles = 2.0 * np.pi * (np.arange(count) + turned) / count
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    points = np.vstack([np.column_stack([ring, np.full(count, z)]) for z in (-1.0, 1.0)])
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    return points, sides + ([tuple(range(count))[::-1], tuple(range(count, 2 * count))] if capped else [])


def wall_mesh(dump, number, bounds):
    """Points and cells of a half-space or a cavity, as far as the bounds reach."""
    turn, position = dump.rotations[number], dump.positions[number]
    corners = (corners_of(bounds) - position) @ turn
    low, high = corners.min(axis=0), corners.max(axis=0)
    if dump.kinds[number] == HALF_SPACE:
        points = np.array([[x, y, 0.0] for x, y in ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))])
        cells = [(0, 1, 2, 3)]
    else:
        drum = dump.kinds[number] == DRUM
        points, cells = unit_tube(FACETS if drum else ROUND, False, 0.5 if drum else 0.0)
        radius = dump.sizes[number, 0]
        points = points * [radius, radius, 0.5 * (high[2] - low[2])] + [0.0, 0.0, 0.5 * (high[2] + low[2])]
    return points @ turn.T + position, cells


def meshes(dump, numbers, bounds, divisions):
    """Points, cells and for each cell the number of its surface."""
    ball, cube, tube = unit_ball(divisions), unit_cube(), unit_tube(ROUND, True)
    skins = {mesh.number: mesh for mesh in dump.meshes}
    longest = float(np.linalg.norm(bounds[1] - bounds[0]))
    all_points, all_cells, owners, count = [np.zeros((0, 3))], [], [], 0
    for number in numbers:
        kind = dump.kinds[number]
        if is_solid(kind):
            unit, cells = {BOX: cube, CYLINDER: tube}.get(kind, ball)
            points = unit @ frame_of(dump, number, longest).T + dump.positions[number]
        elif number in skins:
            points, cells = skins[number].places, skins[number].skin.tolist()
        else:
            points, cells = wall_mesh(dump, number, bounds)
        all_points.append(points)
        all_cells += [[count + k for k in cell] for cell in cells]
        owners += [number] * len(cells)
        count += len(points)
    return np.vstack(all_points).astype(np.float32), all_cells, np.array(owners, np.int32)


def step_files(dump, bounds, divisions):
    """(name of the part, ending, text) of the files of one dump."""
    elastic = [mesh for mesh in dump.meshes if len(mesh.elements)]
    if elastic:
        yield "elastic", "vtu", unstructured_grid(elastic)
    bodies = [number for number in range(len(elastic), dump.bodies) if dump.present[number]]
    points, cells, owners = meshes(dump, bodies, bounds, divisions)
    data = [("body", owners)]
    if dump.velocities is not None:
        data += [("velocity", dump.velocities[owners].astype(np.float32)), ("speed", dump.speeds[owners].astype(np.float32))]
    yield "bodies", "vtp", poly_data(points, cells, "Polys", cell_data=data)
    obstacles = range(dump.bodies, len(dump.kinds))
    points, cells, owners = meshes(dump, obstacles, bounds, divisions)
    yield "obstacles", "vtp", poly_data(points, cells, "Polys", cell_data=[("obstacle", owners)])
    data = [("normal", dump.frames[:, 0]), ("gap", dump.gaps), ("friction", dump.friction), ("sides", dump.sides.astype(np.int32))]
    if dump.impulses is not None:
        data += [("impulse", dump.impulses), ("normal_impulse", np.einsum("ci,ci->c", dump.impulses, dump.frames[:, 0]))]
    yield "contacts", "vtp", poly_data(dump.points, [[k] for k in range(len(dump.points))], "Verts", point_data=data)


def write_vtk(dumps, folder):
    """Writes the files of all dumps, and returns the path of the list."""
    bounds, entries = bounds_of(dumps), []
    divisions = 2 if max(dump.bodies for dump in dumps) <= MANY else 1
    for dump in dumps:
        for part, (name, ending, text) in enumerate(step_files(dump, bounds, divisions)):
            path = folder / f"{dump.name}.{name}.{ending}"
            write_output(path, text)
            entries.append(f'<DataSet timestep="{dump.time:.17g}" group="" part="{part}" name="{name}" '
                           f'file={quoteattr(path.name)}/>\n')
    path = folder / f"{dumps.scene}.pvd"
    write_output(path, '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n<Collection>\n'
                 + "".join(entries) + "</Collection>\n</VTKFile>\n")
    return path
