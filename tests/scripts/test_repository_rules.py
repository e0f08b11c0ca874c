"""Checks this source tree against repository_rules.py, and that every rule finds its breach in a doctored tree."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import repository_rules as rules

ROOT = Path(__file__).resolve().parents[2]


def git_files():
    try:
        return rules.tracked_files(ROOT)
    except (OSError, subprocess.CalledProcessError) as error:
        raise unittest.SkipTest("not a git checkout: nothing says which files belong to the repository") from error


class ThisRepository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = git_files()

    def assert_none(self, breaches):
        self.assertFalse(breaches, "\n" + "\n".join(breaches))

    def test_includes_point_one_way(self):
        self.assert_none(rules.include_breaches(ROOT, self.files))

    def test_files_are_short(self):
        self.assert_none(rules.length_breaches(ROOT, self.files))

    def test_functions_are_short(self):
        self.assert_none(rules.function_breaches(ROOT, self.files))

    def test_objects_are_the_same_in_every_tree(self):
        self.assert_none(rules.place_breaches(ROOT, self.files))

    def test_names_of_tests_are_no_options(self):
        self.assert_none(rules.test_name_breaches(ROOT, self.files))

    def test_top_level_is_fixed(self):
        self.assert_none(rules.top_level_breaches(self.files))

    def test_no_results_in_git(self):
        self.assert_none(rules.baseline_breaches(self.files))

    def test_the_tree_is_printed(self):
        self.assert_none(rules.tree_breaches((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), self.files))


class DoctoredTree(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for name in ("lib/core/types.hpp", "lib/problem/scene.hpp", "lib/solvers/solver.hpp", "lib/io/csv.hpp",
                     "lib/bench/run/runner.hpp", "problems/registry.hpp", "problems/scenes/stack.hpp",
                     "apps/ccpbench/terminal/terminal.hpp", "tests/support/samples.hpp"):
            self.write(name, "#pragma once\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Path(name)

    def breaches(self, name, text):
        return rules.include_breaches(self.root, [self.write(name, text)])

    def test_allowed_includes(self):
        for name, target in (("lib/core/a.cpp", '"core/types.hpp"'), ("lib/core/a.cpp", "<vector>"),
                             ("lib/core/a.cpp", '"types.hpp"'), ("lib/problem/a.cpp", '"core/types.hpp"'),
                             ("lib/peers/a.cpp", '"solvers/solver.hpp"'), ("lib/bench/run/a.cpp", '"io/csv.hpp"'),
                             ("lib/bench/run/a.cpp", '"bench/generated.hpp"'), ("lib/core/a.cpp", "<sys/types.h>"),
                             ("problems/scenes/a.cpp", '"problem/scene.hpp"'),
                             ("problems/scenes/a.cpp", '"problems/registry.hpp"'),
                             ("apps/ccpbench/commands/a.cpp", '"bench/run/runner.hpp"'),
                             ("apps/ccpbench/commands/a.cpp", '"problems/registry.hpp"'),
                             ("tests/core/a.cpp", '"problems/registry.hpp"')):
            with self.subTest(name=name, target=target):
                self.assertEqual(self.breaches(name, f"#include {target}\n"), [])

    def test_forbidden_includes(self):
        for name, target in (("lib/core/a.hpp", '"problem/scene.hpp"'), ("lib/cones/a.cpp", '"problem/scene.hpp"'),
                             ("lib/linalg/a.cpp", '"solvers/solver.hpp"'), ("lib/problem/a.cpp", '"solvers/solver.hpp"'),
                             ("lib/solvers/newton/b.cpp", '"io/csv.hpp"'), ("lib/solvers/newton/b.cpp", '"bench/run/runner.hpp"'),
                             ("lib/io/a.cpp", '"bench/run/runner.hpp"'), ("lib/bench/run/a.cpp", '"problems/registry.hpp"'),
                             ("lib/io/a.cpp", '"solvers/solver.hpp"'), ("lib/bench/run/a.cpp", '"scenes/stack.hpp"'), ("lib/bench/run/a.cpp", "<problems/registry.hpp>"),
                             ("lib/bench/run/a.cpp", '"apps/ccpbench/terminal/terminal.hpp"'), ("lib/bench/run/a.cpp", '"terminal/terminal.hpp"'),
                             ("lib/core/a.cpp", '"support/samples.hpp"'), ("problems/scenes/a.cpp", '"solvers/solver.hpp"'),
                             ("problems/a.cpp", '"bench/run/runner.hpp"'), ("lib/core/a.cpp", '"../problem/scene.hpp"'),
                             ("lib/core/a.cpp", '"nowhere/x.hpp"'), ("lib/core/a.cpp", '"bench/generated.hpp"'),
                             ("lib/gadgets/a.cpp", "<vector>")):
            with self.subTest(name=name, target=target):
                self.assertEqual(len(self.breaches(name, f"// a\n  # include {target}\n")), 1)

    def test_rooms_of_a_layer_point_one_way(self):
        for name in ("lib/bench/config/plan.hpp", "lib/bench/results/record.hpp", "lib/bench/run/runner.hpp",
                     "lib/bench/analysis/claims.hpp", "apps/ccpbench/views/summary.hpp", "apps/ccpbench/commands/run.hpp",
                     "lib/solvers/newton/pqn.hpp", "lib/linalg/block/lu.hpp", "lib/linalg/linear_solver.hpp"):
            self.write(name, "#pragma once\n")
        for name, target in (("lib/bench/results/a.cpp", "bench/config/plan.hpp"), ("lib/bench/run/a.cpp", "bench/results/record.hpp"),
                             ("lib/bench/run/a.cpp", "bench/run/runner.hpp"), ("lib/bench/run/a.cpp", "runner.hpp"),
                             ("lib/bench/analysis/a.cpp", "bench/results/record.hpp"),
                             ("apps/ccpbench/commands/a.cpp", "views/summary.hpp"), ("apps/ccpbench/main.cpp", "commands/run.hpp"),
                             ("lib/solvers/proximal_newton/a.cpp", "solvers/newton/pqn.hpp"), ("lib/solvers/a.cpp", "solvers/newton/pqn.hpp"),
                             ("lib/linalg/direct/a.cpp", "linalg/linear_solver.hpp")):
            with self.subTest(name=name, target=target):
                self.assertEqual(self.breaches(name, f'#include "{target}"\n'), [])
        for name, target in (("lib/bench/config/a.cpp", "bench/results/record.hpp"), ("lib/bench/results/a.cpp", "bench/run/runner.hpp"),
                             ("lib/bench/run/a.cpp", "bench/analysis/claims.hpp"), ("lib/bench/analysis/a.cpp", "bench/run/runner.hpp"),
                             ("lib/bench/attic/a.cpp", "bench/run/runner.hpp"), ("apps/ccpbench/views/a.cpp", "commands/run.hpp"),
                             ("lib/bench/a.cpp", "bench/run/runner.hpp"), ("lib/solvers/splitting/a.cpp", "solvers/newton/pqn.hpp"),
                             ("lib/linalg/block/a.cpp", "linalg/linear_solver.hpp")):
            with self.subTest(name=name, target=target):
                self.assertEqual(len(self.breaches(name, f'#include "{target}"\n')), 1)
        self.assertEqual(self.breaches("lib/bench/results/a.cpp", '#include "bench/run/runner.hpp"\n'),
                         ["lib/bench/results/a.cpp:1: bench/results must not include bench/run ('bench/run/runner.hpp')"])

    def test_a_breach_names_file_and_line(self):
        found = self.breaches("lib/core/a.cpp", '#include <vector>\n#include "problem/scene.hpp"\n')
        self.assertEqual(found, ["lib/core/a.cpp:2: core must not include problem ('problem/scene.hpp')"])

    def test_definitions_that_name_a_folder(self):
        for value in ("${PROJECT_SOURCE_DIR}/configs", "${CMAKE_CURRENT_BINARY_DIR}", "$<TARGET_FILE:ccpbench>"):
            file = self.write("tests/a/CMakeLists.txt", f'add_executable(a b.cpp)\ntarget_compile_definitions(a PRIVATE X=1\n  Y="{value}")\n')
            found = rules.place_breaches(self.root, [file])
            self.assertEqual(len(found), 1)
            self.assertTrue(found[0].startswith("tests/a/CMakeLists.txt:2: "), found)
        fine = self.write("tests/a/CMakeLists.txt", "target_compile_definitions(a PRIVATE CCP_HAVE_X)\ninclude(${PROJECT_SOURCE_DIR}/b.cmake)\n")
        self.assertEqual(rules.place_breaches(self.root, [fine]), [])

    def test_long_files(self):
        for suffix in ("cpp", "hpp", "py", "sh"):
            at_limit = self.write(f"lib/core/fits.{suffix}", "x\n" * rules.MAX_LINES)
            beyond = self.write(f"lib/core/long.{suffix}", "x\n" * (rules.MAX_LINES + 1))
            self.assertEqual(rules.length_breaches(self.root, [at_limit, beyond]), [f"{beyond}: 501 lines, at most 500"])
        self.assertEqual(rules.length_breaches(self.root, [self.write("results/baselines/a.csv", "x\n" * 501)]), [])

    def assert_function_lines(self, name, text, *lines):
        """`text` has functions of so many lines; those above the limit, and no others, are breaches."""
        path = self.write(name, text)
        found = sorted(last - first + 1 for first, last in rules.function_lengths.functions(self.root / path))
        self.assertEqual(found, sorted(lines))
        self.assertEqual(len(rules.function_breaches(self.root, [path])), sum(n > rules.MAX_FUNCTION_LINES for n in lines))

    def test_long_functions(self):
        for body, lines in (("  x();\n" * 78, 80), ("  x();\n" * 79, 81)):
            for head in ("int f(int a) {", "Foo::Foo() : a_{1}, b_(2) {", "template <class T, int n = (1)> T f() {",
                         "struct Point f(int a) {", 'TEST_CASE("a { b") {', "const auto f = [](int a) {", "auto f() -> int {",
                         "bool operator()(int a) const {", "void f() const noexcept {"):
                with self.subTest(head=head, lines=lines):
                    self.assert_function_lines("lib/core/a.cpp", f"namespace a {{\nclass B {{\n{head}\n{body}}}\n}};\n}}\n", lines)
                    self.assert_function_lines("lib/core/a.hpp", f"#define F(x) {{\\\n\n{head}\n{body}}}\nvoid g() {{}}\n", lines, 1)
        parted = "int f(int a,\n      int b) {\n" + "  x();\n" * 78 + "}\n"
        self.assert_function_lines("lib/core/a.cpp", parted, 81)

    def test_lambdas_and_blocks_count_with_their_function(self):
        text = "void f() {\n  const auto g = [] {\n" + "    // {\n" * 76 + "  };\n  if (a) { b(); }\n}\n"
        self.assert_function_lines("lib/core/a.cpp", text, 81)

    def test_namespaces_classes_and_tables_are_no_functions(self):
        rows = "  {1, '{', \"}\"},\n" * 100
        text = f"namespace {{\nstruct A : B<int> {{\n  int a;\n}};\nconst std::map<int, std::function<void(int)>> a = {{\n{rows}}};\nenum class E {{ a }};\n" + "int b;\n" * 90 + "}\n"
        self.assert_function_lines("lib/core/a.cpp", text)

    def test_long_python_functions(self):
        self.assert_function_lines("scripts/a.py", "def f():\n" + "    x()\n" * 79 + "\n\nx()\n" * 9, 80)
        self.assert_function_lines("scripts/a.py", "class A:\n    async def f(self):\n" + "        x()\n" * 80, 81)
        self.assert_function_lines("scripts/a.py", "class A:\n" + "    x = 1\n" * 100)

    def test_names_of_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path("tests/cli/test_a.cpp")
            (Path(folder) / source).parent.mkdir(parents=True)
            (Path(folder) / source).write_text('TEST_CASE("a --b") {\n}\nTEST_CASE("--b") {\n}\n')
            self.assertEqual(rules.test_name_breaches(Path(folder), [source]), [f"{source}:3: the name of a test begins with a dash"])

    def test_top_level(self):
        whole = [Path(name) if "." in name or name == "LICENSE" else Path(name, "a") for name in rules.TOP_LEVEL]
        self.assertEqual(rules.top_level_breaches([*whole, Path(".ci/run"), Path(".clang-format")]), [])
        self.assertEqual(rules.top_level_breaches([*whole, Path("notes.txt")]), ["notes.txt: not a name of the top level"])
        fewer = [f for f in whole if f.name != "LICENSE"]
        self.assertEqual(rules.top_level_breaches(fewer), ["LICENSE: missing from the top level"])

    def test_tree(self):
        tree = "# Contributing\n```\nlib/    the library\n  core/  types\n    a/  b/\nconfigs/  experiments\n```\n"
        files = [Path("lib/core/a/x.hpp"), Path("lib/core/b/x.hpp"), Path("configs/a.json"), Path("LICENSE")]
        self.assertEqual(rules.tree_breaches(tree, files), [])
        self.assertEqual(len(rules.tree_breaches(tree, [*files, Path("lib/kernels/x.hpp")])), 1)
        self.assertEqual(len(rules.tree_breaches(tree, files[1:])), 1)

    def test_results(self):
        good = [Path("results/README.md"), Path("results/baselines/test1a/ADMM.csv"), Path("results/claims/test1a.json"), Path("results/pictures/test1a.png"),
                Path("results/CLAIMS.md"), Path("results/INTERIOR_POINTS.md"), Path("results/PEERS.md"), Path("results/NEWTON.md")]
        self.assertEqual(rules.baseline_breaches(good), [])
        self.assertEqual(len(rules.baseline_breaches([*good, Path("results/test1a/summary.csv")])), 1)

    def test_git_lists_new_files_but_no_ignored_ones(self):
        try:
            subprocess.run(["git", "init", "-q", self.root], check=True)
        except OSError:
            self.skipTest("no git here")
        self.write(".gitignore", "/build/\n")
        self.write("build/x.cpp", "")
        files = rules.tracked_files(self.root)
        self.assertIn(Path("lib/core/types.hpp"), files)
        self.assertNotIn(Path("build/x.cpp"), files)


if __name__ == "__main__":
    unittest.main()
