"""Tests of .github/actions/ccpbench: its steps run as GitHub runs them, with the built program and made-up variables of GitHub."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github" / "actions" / "ccpbench" / "action.yml"
PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
CONFIG = {"name": "tiny", "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 4, "heavy_index": 2}}],
          "solvers": [{"solver": "jacobi", "label": "J", "parameters": {"omega": 0.5}}, {"solver": "proximal_newton", "label": "N"}],
          "stop": {"tolerance": 1e-6, "max_iterations": 50}}
# Stands for gh: notes what it is asked, and says which comment there is.
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_LOG"
for word; do case $word in body=@*) cat "${word#body=@}" >> "$GH_LOG";; esac; done
case "$*" in *--paginate*) printf '%s' "$GH_COMMENT";; esac
"""


@unittest.skipUnless(yaml and PROGRAM, "no python3-yaml, or CCPBENCH_PROGRAM names no program")
class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        (self.place / "bin").mkdir()
        (self.place / "bin" / "gh").write_text(GH)
        (self.place / "bin" / "gh").chmod(0o755)
        self.write(0.5)
        self.ccpbench("run", "tiny.json", "--out", "before", "--quiet")
        self.ccpbench("compare", "before/tiny", "--update", "--baseline", "baselines")

    def ccpbench(self, *arguments):
        subprocess.run([PROGRAM, *arguments], cwd=self.place, check=True, capture_output=True)

    def write(self, omega):
        CONFIG["solvers"][0]["parameters"]["omega"] = omega
        (self.place / "tiny.json").write_text(json.dumps(CONFIG))

    def run_action(self, pull="", comment="", **given):
        """(exit code, what the steps printed, outputs, the job's summary). An expression is an input, an output, or of github."""
        inputs = {name: given.get(name, what.get("default", "")) for name, what in self.action["inputs"].items()}
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {"github.event.pull_request.number": pull, "github.workflow": "ci", "github.job": "bench"}
        files = {name: self.place / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GH_LOG")}
        printed, code = "", 0
        for path in files.values():
            path.write_text("")

        def value(text):
            return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: known[found.group(1)], str(text))

        for step in self.action["runs"]["steps"]:
            self.assertNotIn("${{", step["run"])  # inputs are variables of the shell, never its text
            (self.place / "step.sh").write_text(step["run"])
            files["GITHUB_OUTPUT"].write_text("")
            environment = {**os.environ, **{name: str(path) for name, path in files.items()}, **{name: value(text) for name, text in step["env"].items()},
                           "PATH": f"{self.place / 'bin'}:{os.environ['PATH']}", "GITHUB_REPOSITORY": "some/body", "GH_COMMENT": comment}
            made = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "step.sh"], cwd=self.place, env=environment, capture_output=True, text=True)
            printed += made.stdout + made.stderr
            known |= {f"steps.{step.get('id')}.outputs.{k}": v for k, _, v in (line.partition("=") for line in files["GITHUB_OUTPUT"].read_text().splitlines())}
            code = made.returncode
            if code != 0:
                break
        outputs = {name: value(what["value"]) for name, what in self.action["outputs"].items()} if code in (0, 1) else {}
        return code, printed, outputs, files["GITHUB_STEP_SUMMARY"].read_text()

    def log(self):
        return (self.place / "gh_log").read_text()

    def test_the_same_passes_with_a_table_and_benchmarks(self):
        code, printed, outputs, summary = self.run_action(program=PROGRAM, configs="t*.json", size="")
        self.assertEqual(code, 0, printed)
        self.assertEqual(outputs["different"], "false")
        self.assertIn("**tiny**: as in the baseline", summary)
        self.assertIn("| config | problem |", summary)
        self.assertEqual((self.place / outputs["table"]).read_text(), summary)
        self.assertEqual(self.log(), "")  # no token, no comment
        self.assertTrue((self.place / outputs["results"] / "tiny.junit.xml").read_text().startswith("<?xml"))
        benchmarks = {b["name"]: b for b in json.loads((self.place / outputs["benchmark"]).read_text())}
        self.assertEqual(benchmarks["tiny: unsolved"]["value"], 1)  # Jacobi, whose time would look like a good one
        newton = {name: b for name, b in benchmarks.items() if "/N" in name}
        self.assertEqual(sorted(newton), ["tiny: odd_mass_stack/ccp/N, iterations", "tiny: odd_mass_stack/ccp/N, time"])
        for benchmark in benchmarks.values():
            self.assertLessEqual(set(benchmark), {"name", "unit", "value", "range", "extra"})
            self.assertIsInstance(benchmark["value"], (int, float))
            self.assertTrue(all(isinstance(benchmark.get(key, ""), str) for key in ("name", "unit", "range", "extra")))

    def test_a_difference_fails_with_annotations_and_a_comment(self):
        self.write(0.4)
        code, printed, outputs, summary = self.run_action(program=PROGRAM, configs="tiny.json", token="secret", pull="7", comment="")
        self.assertEqual((code, outputs["different"]), (1, "true"))
        self.assertRegex(printed, r"::error title=tiny%3A odd_mass_stack/ccp/J::objective: baseline .*natural_map at \d+: baseline")
        self.assertIn("**tiny**: different from the baseline", summary)
        self.assertIn("| input | odd\\_mass\\_stack/ccp/J | solver omega | 0.5 | 0.4 |", summary)
        self.assertIn("--method POST repos/some/body/issues/7/comments", self.log())
        self.assertIn("<!-- ccpbench ci/bench tiny.json -->\n\n### ccpbench", self.log())
        self.assertNotIn("secret", printed + self.log())

    def test_an_older_comment_is_changed_and_a_later_step_may_judge(self):
        self.write(0.4)
        code, printed, outputs, _ = self.run_action(program=PROGRAM, configs="tiny.json", token="secret", pull="7", comment="42", fail="false")
        self.assertEqual((code, outputs["different"]), (0, "true"), printed)
        self.assertIn("--method PATCH repos/some/body/issues/comments/42", self.log())
        self.assertNotIn("POST", self.log())

    def test_what_cannot_run_or_be_compared_fails_with_its_reason(self):
        for given, words in (({"configs": "none.json"}, "none.json"), ({"configs": "tiny.json", "baseline": "nowhere"}, "has no baseline of 'tiny'"),
                             ({"configs": "tiny.json", "options": "--repeat x"}, "--repeat")):
            code, printed, _, _ = self.run_action(program=PROGRAM, **given)
            self.assertEqual(code, 2, printed)
            self.assertIn(words, printed)

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_its_shell_has_no_pitfalls(self):
        for step in self.action["runs"]["steps"]:
            given = "".join(f"export {name}=x\n" for name in step["env"])
            made = subprocess.run(["shellcheck", "--shell=bash", "-"], input=given + step["run"], capture_output=True, text=True)
            self.assertEqual((made.returncode, made.stdout), (0, ""))

    def test_the_workflow_of_this_repository_uses_it(self):
        workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
        used, = [s for job in workflow["jobs"].values() for s in job["steps"] if s.get("uses") == "./.github/actions/ccpbench"]
        self.assertLessEqual(set(used["with"]), set(self.action["inputs"]))
        benches = sorted(path.name for path in ROOT.glob(used["with"]["configs"]))
        self.assertEqual(benches, sorted(path.name for path in (ROOT / "configs").glob("bench_*.json")))
        for name in benches:
            self.assertTrue((ROOT / used["with"]["baseline"] / Path(name).stem / "baseline.json").is_file())


if __name__ == "__main__":
    unittest.main()
