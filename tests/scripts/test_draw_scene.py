"""Tests of scripts/draw_scene.py: it is run as users run it, and what it draws is measured. Skipped without matplotlib or h5py."""

import make_dump

make_dump.run_with("matplotlib", "h5py")

import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

from make_dump import BOX, CAVITY, CYLINDER, DRUM, ELLIPSOID, HALF_SPACE, SPHERE
from run_script import BACKENDS, own_environment, run_script

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
PROGRAM = os.environ.get("CCPBENCH_PROGRAM", "")
sys.path.insert(0, str(SCRIPTS))

from scene.dump import read_dump  # noqa: E402
from scene.picture import body_colours, contact_lines, look_of, mesh_colours  # noqa: E402
from scene.pieces import COLOURS, colour_numbers, pieces_of, pieces_text  # noqa: E402
from scene.render import SECTION, axes_of, bounds_of, framed, outline, render  # noqa: E402

RED = np.array([1.0, 0.0, 0.0])
TURNED = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)  # by 90° around z


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def made(self, name="made_up.000003.global.hdf5", **parts):
        return make_dump.make_dump(self.folder / name, **parts)

    def run_script(self, *arguments, **environment):
        if not environment:
            return run_script("draw_scene.py", *arguments, modules=(*BACKENDS, "h5py"))
        return subprocess.run([sys.executable, SCRIPTS / "draw_scene.py", *map(str, arguments)], capture_output=True, text=True,
                              timeout=200, env={**own_environment(), **environment})


class Rendering(Scratch):
    def painted(self, bodies, view, obstacles=(), changes=()):
        """How many m² the picture shows of red bodies, of walls, and the image."""
        dump = read_dump(self.made(bodies=bodies, obstacles=obstacles, contacts=(), changes=changes))
        axes, bounds = axes_of(*view), bounds_of([dump])
        camera = framed(outline(dump, bounds), axes, 300, 300)
        image = render(dump, camera, bounds, np.tile(RED, (len(dump.kinds), 1)),
                       [np.tile(RED, (len(mesh.places), 1)) for mesh in dump.meshes])
        red = image[..., 1] < 0.5 * image[..., 0]
        wall = (np.ptp(image, axis=2) < 0.05) & (image.min(axis=2) < 0.99)
        return red.sum() * camera.pixel**2, wall.sum() * camera.pixel**2, image

    def assert_area(self, area, expected):
        self.assertLess(abs(area / expected - 1.0), 0.02, (area, expected))

    def test_solids_have_the_outline_of_their_shape(self):
        for view, ball, brick, tube in (((0, 0), math.pi * 0.2 * 0.3, 4 * 0.2 * 0.3, 4 * 0.1 * 0.3),
                                        ((90, 0), math.pi * 0.1 * 0.3, 4 * 0.1 * 0.3, 4 * 0.1 * 0.3),
                                        ((0, 90), math.pi * 0.1 * 0.2, 4 * 0.1 * 0.2, math.pi * 0.01)):
            self.assert_area(self.painted([(ELLIPSOID, (0.1, 0.2, 0.3), (5.0, 1.0, 2.0))], view)[0], ball)
            self.assert_area(self.painted([(BOX, (0.1, 0.2, 0.3), (5.0, 1.0, 2.0))], view)[0], brick)
            self.assert_area(self.painted([(CYLINDER, (0.1, 0.3, 0.0), (5.0, 1.0, 2.0))], view)[0], tube)
            self.assert_area(self.painted([(SPHERE, (0.4, 0.0, 0.0), (5.0, 1.0, 2.0))], view)[0], math.pi * 0.16)

    def test_meshes_have_the_outline_of_their_skin(self):
        for view in ((0, 0), (180, 0), (90, 0), (0, 90), (0, -90)):
            for shape, area in ((make_dump.HEXAHEDRON, 1.0), (make_dump.TETRAHEDRON, 0.5)):
                self.assert_area(self.painted([make_dump.MESH_BODY], view, changes=make_dump.meshes(shape))[0], area)
        slanting = self.painted([make_dump.MESH_BODY], (45, 35.2644), changes=make_dump.meshes(make_dump.HEXAHEDRON))[0]
        self.assert_area(slanting, math.sqrt(3.0))  # a hexagon: along the diagonal

    def test_a_cut_opens_meshes_to_their_section(self):
        for obstacle in (False, True):
            surfaces = {"bodies": [] if obstacle else [make_dump.MESH_BODY], "obstacles": [make_dump.MESH_BODY] if obstacle else []}
            changes = {**make_dump.meshes(make_dump.HEXAHEDRON), "ccpbench_meshes/elements": [], "ccpbench_meshes/stresses": []}
            changes["ccpbench_meshes/counts"] = [8, 12, 0, 4]
            dump = read_dump(self.made(**surfaces, contacts=(((1.0, 0.5, 1.5), (0, -1), (0, 0, 0)), ((0.0, 0.5, 1.5), (0, -1), (0, 0, 0))), changes=changes))
            self.assertEqual([mesh.number for mesh in dump.meshes], [0])
            look = look_of([dump], (0, 0), 100, cut=True)
            image = render(dump, look.camera, look.bounds, np.tile(RED, (1, 1)), [np.tile(RED, (8, 1))], look.cut)
            middle = image[image.shape[0] // 2, image.shape[1] // 2]
            np.testing.assert_allclose(middle, SECTION * RED, atol=1e-12)  # seen along x: the far face, from inside
            ends, _, idle = contact_lines(dump, look)
            self.assertEqual(len(ends) + len(idle), 1)  # that at x = 1 is on the side of the eye

    def test_meshes_are_coloured_by_the_speed_of_their_nodes(self):
        dump = read_dump(self.made(bodies=[make_dump.MESH_BODY], changes=make_dump.meshes(make_dump.HEXAHEDRON)))
        look = look_of([dump], (-60, 22), 100)
        self.assertEqual(look.fastest, 1.5)
        colours = mesh_colours(dump, look)[0]
        np.testing.assert_allclose(colours[0], [0.993248, 0.906157, 0.143936], atol=1e-3)  # the fast end of viridis
        np.testing.assert_allclose(colours[1:], [[0.267004, 0.004874, 0.329415]] * 7, atol=1e-3)

    def test_walls_that_move_are_painted_where_they_are(self):
        dumps = [read_dump(self.made(name=f"made_up.00000{k}.global.hdf5", bodies=[(SPHERE, (0.4, 0.0, 0.0), (0.0, 0.0, 0.4))], contacts=(),
                                     obstacles=[(HALF_SPACE, (0.0, 0.0, 0.0), (0.0, 0.0, height))])) for k, height in enumerate((0.0, -0.3))]
        axes, bounds = axes_of(-60, 22), bounds_of(dumps)

        def camera():
            return framed(outline(dumps[0], bounds), axes, 120, 120)

        def picture(dump, eye):
            return render(dump, eye, bounds, np.tile(RED, (len(dump.kinds), 1)))

        shared = camera()
        series = [picture(dump, shared) for dump in (dumps[0], dumps[1], dumps[0])]
        for image, dump in zip(series, (dumps[0], dumps[1], dumps[0])):
            np.testing.assert_array_equal(image, picture(dump, camera()))
        self.assertTrue((series[0] != series[1]).any())

    def test_rotations_turn_bodies(self):
        self.assert_area(self.painted([(BOX, (0.1, 0.2, 0.3), (0.0, 0.0, 0.0), TURNED)], (0, 0))[0], 4 * 0.1 * 0.3)
        c, s = math.cos(0.5), math.sin(0.5)
        self.assert_area(self.painted([(BOX, (0.1, 0.2, 0.3), (0.0, 0.0, 0.0), (c, -s, 0, s, c, 0, 0, 0, 1))], (0, 0))[0],
                         0.6 * (0.2 * s + 0.4 * c))

    def test_what_is_nearer_hides_what_is_behind(self):
        one = self.painted([(SPHERE, (0.4, 0.0, 0.0), (1.0, 0.0, 0.0))], (0, 0))[0]
        both = self.painted([(SPHERE, (0.4, 0.0, 0.0), (1.0, 0.0, 0.0)), (BOX, (0.2, 0.2, 0.2), (-1.0, 0.0, 0.0))], (0, 0))
        self.assert_area(both[0], one)
        front = both[2][150, 150]
        self.assertGreater(front[0], 0.5)  # the ball, not the edge or the shade of the box
        floor = ((HALF_SPACE, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),)
        sunk = self.painted([(SPHERE, (0.4, 0.0, 0.0), (0.0, 0.0, 0.0))], (0, 90), floor)
        self.assert_area(sunk[0], math.pi * 0.16)
        below = [(SPHERE, (0.4, 0.0, 0.0), (0.0, 0.0, -0.5))]
        self.assertEqual(self.painted(below, (0, 90), floor)[0], 0.0)
        self.assert_area(self.painted(below, (0, -90), floor)[0], math.pi * 0.16)

    def test_walls_are_seen_from_their_free_side_only(self):
        ball, floor = [(SPHERE, (0.4, 0.0, 0.0), (0.0, 0.0, 0.4))], ((HALF_SPACE, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),)
        self.assertGreater(self.painted(ball, (0, 30), floor)[1], 0.1)
        self.assertLess(self.painted(ball, (0, -30), floor)[1], 0.01)  # some pixels of the rim
        for kind, area in ((CAVITY, math.pi), (DRUM, 16 * math.sin(math.pi / 16))):
            inside = [(SPHERE, (0.1, 0.0, 0.0), (0.0, 0.0, 0.1))]
            both = (*floor, (kind, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
            red, wall, _ = self.painted(inside, (0, 90), both)
            self.assert_area(red + wall, area)
            self.assertGreater(self.painted(inside, (0, 0), both)[1], 0.3)  # the far side

    def test_lines_of_contacts_are_impulses_in_the_world(self):
        dump = read_dump(self.made(contacts=(((0.0, 0.0, 0.0), (0, 1), (2.0, 0.5, -0.25)),
                                             ((0.1, 0.0, 0.0), (-1, 0), (0.0, 0.0, 0.0)))))
        np.testing.assert_allclose(dump.impulses, [[0.5, 0.25, -2.0], [0.0, 0.0, 0.0]])
        look = look_of([dump], (0.0, 0.0), 100)
        ends, sizes, idle = contact_lines(dump, look)
        np.testing.assert_allclose(sizes, [np.linalg.norm([0.5, 0.25, 2.0])])
        self.assertEqual(len(idle), 1)
        # From y, z of the point up into body 0, half its thickness long.
        along = (ends[0, 1] - ends[0, 0]) * look.camera.pixel
        np.testing.assert_allclose(along * [1, -1], 0.5 * np.array([0.25, -2.0]) / sizes[0], atol=1e-12)
        np.testing.assert_allclose(ends[0, 1], look.camera.project(dump.points)[0])

    def chain(self, gaps=(0.0, 2e-3, 1e-3, 0.0), **changes):
        """Six balls: contacts of 0–1, 1–2, 3–4 and one of 5 with the floor, with these gaps."""
        sides = ((0, 1), (1, 2), (4, 3), (5, 6))
        contacts = [((float(k), 0.0, 0.0), pair, (0.0, 0.0, 0.0)) for k, pair in enumerate(sides)]
        bodies = [(SPHERE, (0.5, 0.0, 0.0), (float(k), 0.0, 0.5)) for k in range(6)]
        return read_dump(self.made(bodies=bodies, contacts=contacts, changes={"ccpbench_geometry/contact_gaps": list(gaps), **changes}))

    def test_pieces_hang_together_through_small_gaps_of_two_bodies(self):
        dump = self.chain()
        for gap, numbers, sizes in ((1e-3, [0, 0, 2, 1, 1, 3], [2, 2, 1, 1]), (2e-3, [0, 0, 0, 1, 1, 2], [3, 2, 1]),
                                    (0.0, [0, 0, 1, 2, 3, 4], [2, 1, 1, 1, 1])):
            found = pieces_of(dump, gap)
            self.assertEqual([list(values) for values in found], [numbers, sizes])
        self.assertEqual(pieces_text(dump, 2e-3), "largest piece 3 of 6 bodies")
        last = len(COLOURS) - 1
        self.assertEqual(list(colour_numbers(dump, 0.0)), [0, 0, last, last, last, last])  # those alone are all of one colour
        gone = self.chain(**{"ccpbench_geometry/present": [1, 1, 1, 1, 1, 0, 1]})
        self.assertEqual([list(values) for values in pieces_of(gone, 2e-3)], [[0, 0, 0, 1, 1, -1], [3, 2]])
        self.assertEqual(pieces_text(gone, 2e-3), "largest piece 3 of 5 bodies")
        self.assertEqual(pieces_text(read_dump(self.made(bodies=(), contacts=())), 0.0), "largest piece 0 of 0 bodies")

    def test_pieces_have_colours_by_their_size(self):
        dump = self.chain()
        colours = body_colours(dump, look_of([dump], (0.0, 0.0), 100, gap=2e-3))
        wanted = [[int(COLOURS[k][i:i + 2], 16) / 255 for i in (1, 3, 5)] for k in (0, 0, 0, 1, 1, -1)]
        np.testing.assert_allclose(colours[:6], wanted, atol=1e-9)
        self.assertEqual(look_of([dump], (0.0, 0.0), 100, gap=2e-3).fastest, 0.0)
        light = [[int(colour[i:i + 2], 16) for i in (1, 3, 5)] @ np.array([0.299, 0.587, 0.114]) for colour in COLOURS]
        self.assertTrue((np.diff(light) > 12).all(), light)  # grey prints serve

    def test_a_slope_has_no_lines_and_a_width_instead(self):
        c, s = math.cos(0.5), math.sin(0.5)
        for turn, words in ((make_dump.UPRIGHT, "lines of the floor: "), ((c, 0, s, 0, 1, 0, -s, 0, c), "a panel is ")):
            dump = read_dump(self.made(obstacles=[(HALF_SPACE, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), turn)]))
            self.assertIn(words, look_of([dump], (-60.0, 22.0), 100).scale)

    def test_rows_that_are_not_seen_come_after_the_contacts(self):
        changes = {"fclib_global/vectors/mu": [0.25, 0.0], "guesses/1/r": [2.0, 0.5, -0.25, 9.0, 0.0, 0.0],
                   "ccpbench_geometry/velocities": [3.0, 0.0, 4.0], "ccpbench_state/values": [1.0]}
        dump = read_dump(self.made(changes=changes))
        np.testing.assert_allclose(dump.impulses, [[0.5, 0.25, -2.0]])
        np.testing.assert_allclose(dump.friction, [0.25])
        np.testing.assert_allclose(dump.speeds, [5.0])


    def test_moments_come_after_the_forces_of_a_contact(self):
        for form, rows, impulse, wanted in (("fclib_global_rolling", 5, [2.0, 0.5, -0.25, 7.0, 8.0], [0.5, 0.25, -2.0]),
                                            ("fclib_local_rolling", 4, [2.0, 0.5, -0.25, 7.0], [0.5, 0.25, -2.0]),
                                            ("fclib_local_rolling", 3, [2.0, 0.5, 7.0], [0.5, 0.0, -2.0])):
            changes = {"fclib_global/spacedim": None, "fclib_global/vectors/mu": None, f"{form}/spacedim": [rows],
                       f"{form}/vectors/mu": [0.25], "guesses/1/r": impulse}
            dump = read_dump(self.made(changes=changes, form=False))
            np.testing.assert_allclose(dump.impulses, [wanted])
            np.testing.assert_allclose(dump.friction, [0.25])


class Script(Scratch):
    def pictures(self):
        return sorted(path.name for path in self.folder.iterdir() if not path.name.endswith(".hdf5"))

    def generate(self, *arguments):
        subprocess.run([PROGRAM, "generate", *arguments], check=True, capture_output=True)

    def make_series(self):
        for step in (3, 4, 10):
            self.made(f"made_up.{step:06}.global.hdf5", step=step, bodies=[(SPHERE, (0.5, 0.0, 0.0), (0.1 * step, 0.0, 0.5))])

    def test_a_folder_becomes_pictures_and_an_animation_the_same_each_time(self):
        self.make_series()
        self.made("made_up.000003.local.hdf5")
        result = self.run_script(self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = ["made_up.000003.png", "made_up.000004.png", "made_up.000010.png", "made_up.gif"]
        self.assertEqual(self.pictures(), names)
        self.assertEqual(result.stdout, f"pictures: {self.folder} (3 png)\nanimation: {self.folder / 'made_up.gif'}\n")
        with Image.open(self.folder / "made_up.gif") as movie, Image.open(self.folder / names[0]) as picture:
            self.assertEqual((movie.n_frames, movie.size), (3, picture.size))
        before = [(self.folder / name).read_bytes() for name in names]
        self.assertEqual(len(set(before)), 4)
        self.run_script(self.folder)
        self.assertEqual([(self.folder / name).read_bytes() for name in names], before)

    def test_panels_are_all_steps_in_one_picture(self):
        self.make_series()
        result = self.run_script(self.folder, "--write", "panels", "--view=0,90")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        path = self.folder / "made_up.panels.png"
        self.assertEqual(result.stdout, f"panels: {path}\n")
        self.assertEqual(self.pictures(), ["made_up.panels.png"])
        before = path.read_bytes()
        self.run_script(self.folder, "--write", "panels,png", "--view=0,90", "--show", "bodies")
        self.assertEqual(path.read_bytes(), before)
        with Image.open(path) as panels, Image.open(self.folder / "made_up.000003.png") as one:
            # Two in a row, the first of the second row below them: panels of the size of the picture, with less beside them.
            self.assertTrue(1.5 * one.width < panels.width < 2.0 * one.width, (panels.size, one.size))
            self.assertTrue(1.5 * one.height < panels.height < 2.0 * one.height, (panels.size, one.size))
            image = np.asarray(panels.convert("RGB"), float)
            pitch = one.height - 50  # of the rows of panels: margins are of both rows together
        # The ball is 0.1 m further along x in the second panel and 0.7 m in the third: further down, seen from above.
        coloured = np.ptp(image, axis=2) > 40
        half, middle = (int(0.5 * size) for size in coloured.shape)
        wide = int(0.9 * coloured.shape[1])  # beside the colour bar
        rows = [np.argwhere(part)[:, 0].mean() for part in (coloured[:half, :middle - 40], coloured[:half, middle:wide],
                                                            coloured[half:, :middle - 40])]
        further = rows[1] - rows[0]
        self.assertGreater(further, 5.0)
        self.assertAlmostEqual((rows[2] + half - pitch - rows[0]) / further, 7.0, delta=0.5)
        self.assertFalse(coloured[half:, middle:wide].any())

    def test_of_many_steps_panels_show_twelve_beside_the_animation_of_all(self):
        for step in range(1, 31):
            self.made(f"made_up.{step:06}.global.hdf5", step=step)
        result = self.run_script(self.folder, "--write", "gif,panels", "--every", "2", "--dpi", "40", "--show", "bodies")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.pictures(), ["made_up.gif", "made_up.panels.png"])
        self.assertIn("made_up.panels.png (12 of 15 steps)", result.stdout)
        with Image.open(self.folder / "made_up.gif") as movie:
            self.assertEqual(movie.n_frames, 15)
        self.assertEqual(self.run_script(self.folder, "--every", "0").returncode, 2)

    def test_a_step_without_contacts_has_shapes_alone(self):
        without = {"fclib_global/spacedim": None, "fclib_global/vectors/mu": None, "guesses/1/r": None, "ccpbench_state/scene": "made_up"}
        self.made("made_up.000002.shapes.h5", step=2, contacts=(), changes=without, form=False)
        self.made("made_up.000003.global.hdf5")
        result = self.run_script(self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.pictures(), ["made_up.000002.png", "made_up.000002.shapes.h5", "made_up.000003.png", "made_up.gif"])

    def test_an_interrupt_keeps_the_pictures_that_are_drawn(self):
        for step in range(1, 400):
            self.made(f"made_up.{step:06}.global.hdf5", step=step)
        child = subprocess.Popen([sys.executable, SCRIPTS / "draw_scene.py", self.folder, "--dpi", "40"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=own_environment())
        while sum(name.endswith(".png") for name in self.pictures()) < 3 and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=200)
        self.assertEqual(child.returncode, 130, err)
        made = [name for name in self.pictures() if name.endswith(".png")]
        self.assertTrue(3 <= len(made) < 399)
        self.assertEqual(self.pictures(), [*made, "made_up.gif"])  # nothing half-written
        self.assertRegex(err, r"^\ndraw_scene.py: stopped after \d+ of 399 pictures\n$")
        self.assertIn("animation: ", out)

    def make_runs(self):
        """Two runs of a ball, which is farther along x in the second one, and in each at the later step."""
        for run, steps in (("slow", (3, 4)), ("quick", (3, 9))):
            (self.folder / run).mkdir()
            for step in steps:
                place = 0.1 * step if run == "slow" else 0.2 * step
                self.made(f"{run}/made_up.{step:06}.global.hdf5", step=step, bodies=[(SPHERE, (0.5, 0.0, 0.0), (place, 0.0, 0.5))])
        return [self.folder / run for run in ("slow", "quick")]

    def balls(self, path):
        """Where the middle of the ball is in the left and the right half of a picture seen from above, pixels from the top."""
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"), float)
        coloured = np.ptp(pixels, axis=2) > 40
        half, wide = coloured.shape[1] // 2 - 30, int(0.85 * coloured.shape[1])  # beside the colour bar
        return [np.argwhere(part)[:, 0].mean() for part in (coloured[:, :half], coloured[:, half:wide])]

    def test_panels_of_several_folders_are_a_row_of_runs(self):
        runs, out = self.make_runs(), self.folder / "out"
        options = ("--write", "panels", "--view=0,90", "--out", out)
        path = out / "made_up.panels.png"

        def drawn(*arguments):
            result = self.run_script(*arguments, *options)
            self.assertEqual((result.returncode, result.stderr, result.stdout), (0, "", f"panels: {path}\n"))
            return path.read_bytes()

        last = drawn(*runs)  # steps 4 and 9, at 0.4 and 1.8 m
        places = self.balls(path)
        self.assertEqual(drawn(runs[0], *sorted(runs[1].iterdir())), last)  # files named one by one are the same run
        self.assertEqual(drawn(runs[0] / "made_up.000004.global.hdf5", runs[1]), last)
        self.assertEqual(drawn(*runs, "--labels", "slow,quick"), last)  # the usual labels are the folders
        same = drawn(*runs, "--step", "3")  # at 0.3 and 0.6 m
        self.assertNotEqual(same, last)
        nearer = self.balls(path)
        self.assertGreater(places[1] - places[0], 2.0 * (nearer[1] - nearer[0]))
        self.assertGreater(nearer[1] - nearer[0], 5.0)
        drawn(*reversed(runs))
        np.testing.assert_allclose(self.balls(path), places[::-1], atol=1.0)  # one extent, in the order of the command line
        labelled = drawn(*runs, "--labels", " c = 10 N , c = $50$ N", "--pieces", "0.001")
        self.assertNotEqual(drawn(*runs, "--labels", "c = 10 N,c = 51 N", "--pieces", "0.001"), labelled)

    def test_three_runs_are_one_row_and_steps_of_one_run_have_labels_too(self):
        runs = self.make_runs()
        (self.folder / "more").mkdir()
        self.made("more/made_up.000003.global.hdf5")
        sizes = {}
        for name, places in (("two", runs), ("three", [*runs, self.folder / "more"])):
            self.assertEqual(self.run_script(*places, "--write", "panels", "--out", self.folder / name).returncode, 0)
            with Image.open(self.folder / name / "made_up.panels.png") as image:
                sizes[name] = image.size
        self.assertAlmostEqual(sizes["three"][1], sizes["two"][1], delta=30)
        self.assertGreater(sizes["three"][0], 1.3 * sizes["two"][0])
        for name, more in (("plain", ()), ("labelled", ("--labels", "early,late"))):
            result = self.run_script(runs[0], "--write", "panels", *more, "--out", self.folder / name)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            with Image.open(self.folder / name / "made_up.panels.png") as image:
                sizes[name] = image.size
        self.assertEqual(sizes["labelled"][1] - sizes["plain"][1], 34)

    def test_runs_that_cannot_be_drawn_are_one_line(self):
        slow, quick = self.make_runs()
        (self.folder / "other").mkdir()
        other = self.made("other/other.hdf5", scene="other")
        panels = ("--write", "panels")
        for expected, *arguments in (
                ("--labels: 1 label, expected 2, one for each of the 2 runs", slow, quick, *panels, "--labels", "a"),
                ("--labels: 3 labels, expected 2, one for each of the 2 runs", slow, quick, *panels, "--labels", "a,b,c"),
                ("--labels: 1 label, expected 2, one for each of the 2 steps", slow, *panels, "--labels", "a"),
                ("--labels: expected --write panels", slow, "--labels", "a,b"),
                ("--step: expected several folders, each a run, and --write panels", slow, *panels, "--step", "3"),
                ("--step: expected several folders", slow, quick, "--step", "3"),
                (f"{slow}: no step 9 of those named, expected one that is there (3, 4)", slow, quick, *panels, "--step", "9"),
                ("--write: panels of 2 folders and png, expected panels alone", slow, quick, "--write", "png,panels"),
                (f"{other}: is of the scene 'other', expected 'made_up' as in", slow, other.parent, *panels),
                (f"has the name of {slow / 'made_up.000003.global.hdf5'}, expected one run", slow, quick),
                (f"{self.folder / 'empty'}: no .hdf5 file in this folder", slow, self.folder / "empty", *panels)):
            (self.folder / "empty").mkdir(exist_ok=True)
            result = self.run_script(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, r"^draw_scene.py: [^\n]*\n$")
            self.assertIn(expected, result.stderr)
        for wrong in (["--labels", "a,,b"], ["--labels", ""], ["--pieces=-1"], ["--pieces", "small"], ["--pieces", "nan"], ["--step=-1"]):
            self.assertEqual(self.run_script(slow, quick, *panels, *wrong).returncode, 2, wrong)
        self.assertEqual(list(self.folder.rglob("*.png")), [])

    def test_options_choose_what_is_written_where_and_from_where_it_is_seen(self):
        path = self.made()
        for view in ("0,90", "-60,22"):
            result = self.run_script(path, "--out", self.folder / view, f"--view={view}", "--dpi", "60")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        above, usual = ((self.folder / view / "made_up.000003.png").read_bytes() for view in ("0,90", "-60,22"))
        self.assertNotEqual(above, usual)
        self.assertEqual(self.run_script(path, "--out", self.folder / "one", "--show", "bodies").returncode, 0)
        one, two = (Image.open(self.folder / name / "made_up.000003.png") for name in ("one", "-60,22"))
        with one, two:
            self.assertLess(one.width, two.width)
        for wrong in (["--write", "jpg"], ["--show", "nothing"], ["--view", "up"], ["--view=0,91"], ["--dpi", "0"], []):
            result = self.run_script(*([path] if wrong else []), *wrong)
            self.assertEqual(result.returncode, 2)

    def test_a_scene_without_impulses_state_or_contacts_is_drawn(self):
        for changes in ({"guesses/1/r": None}, {"ccpbench_state/" + name: None for name in ("step", "time", "values")}):
            self.assertEqual(self.run_script(self.made(changes=changes)).returncode, 0)
        self.assertEqual(self.run_script(self.made(contacts=())).returncode, 0)
        self.assertEqual(self.run_script(self.made(bodies=(), contacts=())).returncode, 0)

    def refused(self, expected, *arguments, **environment):
        result = self.run_script(*arguments, **environment)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"^draw_scene.py: [^\n]*\n$")
        self.assertIn(expected, result.stderr)
        self.assertEqual(self.pictures(), [])

    def test_what_cannot_be_drawn_is_one_line(self):
        self.refused("nowhere.hdf5: no such file", self.folder / "nowhere.hdf5")
        self.refused("no .hdf5 file in this folder", self.folder)
        text = self.folder / "text.hdf5"
        text.write_text("no HDF5")
        self.refused(f"{text}: no HDF5 file that can be read", text)
        text.unlink()
        lists = "ccpbench_geometry/"
        without = {lists + name: None for name in ("bodies", "kinds", "present", "sizes", "positions", "rotations")}
        without |= {f"{lists}contact_{name}": None for name in ("points", "frames", "gaps", "sides")}
        for changes, expected in (
                (without, "an FCLib file without /ccpbench_geometry, expected one that `ccpbench generate` wrote"),
                ({**without, "fclib_global/spacedim": None, "fclib_global/vectors/mu": None}, "without /ccpbench_geometry"),
                ({lists + "kinds": None}, "/ccpbench_geometry/kinds is missing, expected a list of numbers"),
                ({lists + "kinds": [0, 8]}, "/ccpbench_geometry/kinds has 8, expected numbers from 0 to 7"),
                ({lists + "kinds": [7, 3]}, "/ccpbench_geometry/kinds has 1 meshes, expected them in /ccpbench_meshes"),
                ({lists + "kinds": [7, 3], **make_dump.meshes(make_dump.TETRAHEDRON), "ccpbench_meshes/skin": [0, 1, 4] * 4},
                 "/ccpbench_meshes/skin names a node that is not there, expected 0 to 3"),
                ({lists + "bodies": [3]}, "/ccpbench_geometry/bodies is 3, expected 0 to 2"),
                ({lists + "sizes": [1.0, 2.0]}, "/ccpbench_geometry/sizes has 2 numbers, expected 6"),
                ({lists + "sizes": [0.0] * 6}, "/ccpbench_geometry/sizes has a surface without extent"),
                ({lists + "positions": [math.nan] * 6}, "/ccpbench_geometry/positions has entries that are not finite"),
                ({lists + "contact_frames": [1.0] * 8}, "contact_frames has 8 numbers, expected a multiple of 9"),
                ({lists + "contact_sides": [0, 2]}, "contact_sides names a surface that is not there, expected -1 to 1"),
                ({"guesses/1/r": [1.0]}, "/guesses/1/r has 1 numbers, expected 3"),
                ({"fclib_global/vectors/mu": []}, "/vectors/mu has 0 numbers, expected 1 or more, the contacts seen"),
                ({lists + "velocities": [1.0]}, "/ccpbench_geometry/velocities has 1 numbers, expected 3"),
                ({"ccpbench_state/values": [1.0]}, "/ccpbench_state/values has 1 numbers, expected 13 or 24 for each of 1 bodies"),
                ({"ccpbench_state/step": None}, "/ccpbench_state/step is missing")):
            path = self.made(changes=changes)
            self.refused(f"{path}: ", path)
            self.refused(expected, path)
        path = self.made()
        self.refused("one step, expected several for a gif", path, "--write", "gif")
        self.refused("1 step, expected 2 or more for panels", path, "--write", "panels")
        other = self.made("other.hdf5", scene="other")
        self.refused(f"{other}: is of the scene 'other', expected 'made_up' as in {path}", path, other)

    def test_a_missing_package_is_one_line(self):
        path = self.made()
        (self.folder / "h5py.py").write_text("raise ImportError")
        environment = {"PYTHONPATH": str(self.folder), "CCPBENCH_PLOT_INTERPRETER_TRIED": "1"}
        result = self.run_script(path, **environment)
        self.assertEqual((result.returncode, result.stderr), (2, "draw_scene.py: h5py is missing: apt-get install python3-h5py\n"))

    @unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM does not name the program")
    def test_a_brick_at_rest_is_carried_by_four_contacts(self):
        self.generate("single_brick", "--steps", "5:6", "--driver", "ipm_qp", "--model", "ccp", "--out", self.folder)
        for form in ("global", "local"):
            dump = read_dump(self.folder / f"single_brick.000006.{form}.hdf5")
            self.assertEqual((dump.scene, dump.step, dump.bodies, len(dump.points)), ("single_brick", 6, 1, 4))
            np.testing.assert_allclose(dump.impulses.sum(axis=0), [0.0, 0.0, -9.81 * 0.02], atol=1e-6)  # on the floor
            np.testing.assert_allclose(np.abs(dump.points[:, :2]), [[0.1, 0.05]] * 4, atol=1e-9)
            np.testing.assert_allclose(dump.positions[0], [0.0, 0.0, 0.025], atol=1e-6)
        result = self.run_script(self.folder, "--write", "gif")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.pictures(), ["single_brick.gif"])
        static = self.folder / "stack.hdf5"
        self.generate("odd_mass_stack", "--form", "global", "--out", static)
        stack = read_dump(static)
        self.assertEqual((stack.step, stack.bodies, len(stack.points)), (None, 21, 21))
        weights = -9.8 * 0.01 * np.array([10190.0 - 10 * k for k in range(10)])  # of what stands on the lower contacts
        np.testing.assert_allclose(stack.impulses[:10, 2], -weights, rtol=1e-6)
        self.assertEqual(self.run_script(static).returncode, 0)
        self.generate("random_contacts", "--set", "contacts=9", "--no-solution", "--form", "global", "--out",
                      self.folder / "random.hdf5")
        result = self.run_script(self.folder / "random.hdf5")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"without /ccpbench_geometry, expected one .* of a scene with shapes\n$")


if __name__ == "__main__":
    unittest.main()
