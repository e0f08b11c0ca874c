"""Tests of scripts/draw_scene.py --write vtk: VTK's own readers read what it wrote. Skipped without matplotlib, h5py or VTK."""

import make_dump

make_dump.run_with("matplotlib", "h5py", "vtkmodules.vtkIOXML")

import math
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkMassProperties, vtkTriangleFilter
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLUnstructuredGridReader

from make_dump import BOX, CAVITY, CYLINDER, DRUM, ELLIPSOID, HALF_SPACE, SPHERE

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "draw_scene.py"


def read(path):
    """Of VTK: points, the cells as lists of numbers of points, and the arrays at points and at cells."""
    reader = vtkXMLUnstructuredGridReader() if path.suffix == ".vtu" else vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    points = vtk_to_numpy(data.GetPoints().GetData()) if data.GetNumberOfPoints() else np.zeros((0, 3))
    cells = []
    for k in range(data.GetNumberOfCells()):
        cell = data.GetCell(k)
        cells.append([cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())])
    arrays = [{group.GetArrayName(k): vtk_to_numpy(group.GetArray(k)) for k in range(group.GetNumberOfArrays())}
              for group in (data.GetPointData(), data.GetCellData())]
    return data, points, cells, *arrays


def flux(points, cells):
    """A sixth of the sum of (p − q)·normal over the triangles of all cells: the volume where all normals point outwards."""
    total, inside = 0.0, points.mean(axis=0)
    for cell in cells:
        for k in range(1, len(cell) - 1):
            a, b, c = (points[cell[i]].astype(float) - inside for i in (0, k, k + 1))
            total += np.dot(a, np.cross(b, c)) / 6.0
    return total


class DrawSceneVtk(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, *paths):
        result = subprocess.run([sys.executable, SCRIPT, *paths, "--write", "vtk"], capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^vtk: .*made_up\.pvd\n$")

    def part(self, name, **parts):
        self.write(make_dump.make_dump(self.folder / "made_up.000003.global.hdf5", **parts))
        return read(self.folder / f"made_up.000003.{name}.vtp")

    def test_bodies_are_closed_surfaces_with_their_volume(self):
        turned = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        for kind, sizes, volume, off in ((SPHERE, (0.5, 0.0, 0.0), math.pi / 6, 0.05), (BOX, (0.1, 0.2, 0.3), 8 * 0.006, 1e-5),
                                         (ELLIPSOID, (0.1, 0.2, 0.3), math.pi * 0.008, 0.05)):
            data, points, cells, _, at_cells = self.part("bodies", bodies=[(kind, sizes, (1.0, 2.0, 3.0), turned)])
            self.assertLess(abs(flux(points, cells) / volume - 1.0), off)
            triangles, mass = vtkTriangleFilter(), vtkMassProperties()
            triangles.SetInputData(data)
            mass.SetInputConnection(triangles.GetOutputPort())
            self.assertLess(abs(mass.GetVolume() / volume - 1.0), off)
            self.assertEqual(set(at_cells["body"]), {0})
            np.testing.assert_allclose(at_cells["speed"], 1.5)
            np.testing.assert_allclose(at_cells["velocity"], [[1.5, 0.0, 0.0]] * len(cells))
            half = np.full(3, 0.5) if kind == SPHERE else np.array([0.2, 0.1, 0.3])
            np.testing.assert_allclose(points.min(axis=0), np.array([1.0, 2.0, 3.0]) - half, atol=0.02)
            np.testing.assert_allclose(points.max(axis=0), np.array([1.0, 2.0, 3.0]) + half, atol=0.02)

    def test_elastic_bodies_are_elements_with_their_volume_speed_and_stress(self):
        path = make_dump.make_dump(self.folder / "made_up.000003.global.hdf5", bodies=[make_dump.MESH_BODY] * 2,
                                   changes=make_dump.meshes(make_dump.HEXAHEDRON, make_dump.TETRAHEDRON))
        self.write(path)
        data, points, cells, at_points, at_cells = read(self.folder / "made_up.000003.elastic.vtu")
        self.assertEqual([data.GetCellType(k) for k in range(2)], [12, 10])
        self.assertEqual((len(points), cells[1]), (12, [8, 9, 10, 11]))
        sizes = vtkCellSizeFilter()
        sizes.SetInputData(data)
        sizes.Update()
        np.testing.assert_allclose(vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume")), [1.0, 1 / 6], rtol=1e-6)
        np.testing.assert_allclose(at_points["displacement"], [[0.0, 0.0, 1.0]] * 12)
        np.testing.assert_allclose(at_points["speed"], [1.5] + 7 * [0.0] + [1.5] + 3 * [0.0])
        np.testing.assert_array_equal(at_cells["body"], [0, 1])
        np.testing.assert_allclose(at_cells["von_mises_stress"], [1e5, 2e5])
        entries = [e.get("file") for e in ElementTree.parse(self.folder / "made_up.pvd").getroot().iter("DataSet")]
        self.assertIn("made_up.000003.elastic.vtu", entries)

    def test_obstacles_are_where_they_are(self):
        for kind, apothem in ((CAVITY, math.cos(math.pi / 48)), (DRUM, math.cos(math.pi / 32))):
            _, points, cells, _, at_cells = self.part("obstacles", obstacles=[(kind, (1.0, 0.0, 0.0), (0.1, 0.0, 0.0))])
            around = points[:, :2] - [0.1, 0.0]
            np.testing.assert_allclose(np.linalg.norm(around, axis=1), 1.0, atol=1e-6)
            middles = np.array([around[cell].mean(axis=0) for cell in cells])
            np.testing.assert_allclose(np.linalg.norm(middles, axis=1), apothem, atol=1e-6)
            self.assertEqual(set(at_cells["obstacle"]), {1})
            if kind == DRUM:  # facet 0 has its middle on the drum's x axis
                np.testing.assert_allclose(middles[np.abs(middles[:, 1]) < 1e-6][:, 0], [-apothem, apothem], atol=1e-6)
        _, points, cells, _, _ = self.part("obstacles", obstacles=[(CYLINDER, (0.5, 0.25, 0.0), (0.0, 0.0, 3.0))])
        self.assertLess(abs(flux(points, cells) / (math.pi * 0.125) - 1.0), 0.01)
        _, points, cells, _, _ = self.part("obstacles", obstacles=[(HALF_SPACE, (0.0, 0.0, 0.0), (0.0, 0.0, -0.5))])
        np.testing.assert_allclose(points[:, 2], -0.5, atol=1e-7)
        self.assertEqual(len(cells), 1)

    def test_contacts_have_their_impulses(self):
        contacts = (((0.1, 0.2, 0.3), (0, 1), (2.0, 0.5, -0.25)), ((0.4, 0.5, 0.6), (-1, 0), (0.0, 0.0, 0.0)))
        _, points, cells, at_points, _ = self.part("contacts", contacts=contacts)
        np.testing.assert_array_equal(points, [c[0] for c in contacts])
        self.assertEqual(cells, [[0], [1]])
        np.testing.assert_allclose(at_points["impulse"], [[0.5, 0.25, -2.0], [0.0, 0.0, 0.0]])
        np.testing.assert_allclose(at_points["normal_impulse"], [2.0, 0.0])
        np.testing.assert_array_equal(at_points["normal"], [[0.0, 0.0, -1.0]] * 2)
        np.testing.assert_array_equal(at_points["gap"], [-1e-3] * 2)
        np.testing.assert_array_equal(at_points["friction"], [0.25] * 2)
        np.testing.assert_array_equal(at_points["sides"], [[0, 1], [-1, 0]])

    def test_what_has_no_contact_or_no_body_is_an_empty_file(self):
        self.assertEqual(self.part("contacts", contacts=())[0].GetNumberOfPoints(), 0)
        self.assertEqual(self.part("bodies", bodies=(), contacts=())[0].GetNumberOfCells(), 0)

    def test_the_list_names_the_files_of_all_steps_with_their_times(self):
        self.write(*(make_dump.make_dump(self.folder / f"made_up.{step:06}.global.hdf5", step=step) for step in (10, 4)))
        listed = ElementTree.parse(self.folder / "made_up.pvd").getroot()
        self.assertEqual(listed.get("type"), "Collection")
        entries = [(float(e.get("timestep")), e.get("part"), e.get("file")) for e in listed.iter("DataSet")]
        self.assertEqual(entries, [(time, str(part), f"made_up.{step:06}.{name}.vtp") for step, time in ((4, 0.04), (10, 0.1))
                                   for part, name in enumerate(("bodies", "obstacles", "contacts"))])
        for _, _, name in entries:
            self.assertGreater(read(self.folder / name)[0].GetNumberOfPoints(), 0)
        written = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        self.write(self.folder)
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, written)


if __name__ == "__main__":
    unittest.main()
