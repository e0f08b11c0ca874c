"""A config at the small size against its stored baseline, by the real program (CCPBENCH_PROGRAM): test_baseline.py NAME THREADS.

The run ends with 0, differs in nothing from results/baselines/NAME, and leaves none of its claims without cells to judge."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]


def main():
    name, threads = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:

        def call(*arguments):
            answer = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=folder)
            return answer.returncode, answer.stdout + answer.stderr

        result = f"{folder}/out/{name}"
        code, text = call("run", ROOT / "configs" / f"{name}.json", "--size", "small", "--quiet", "--out", f"{folder}/out",
                          "--threads", threads)
        # 3: a cell is false_converged, as on the method's own stop; the baseline compares the statuses
        if code not in (0, 3):
            sys.exit(f"run ended with {code}, expected 0 or 3\n{text}")
        code, text = call("compare", result, "--baseline", ROOT / "results" / "baselines")
        if code != 0:
            sys.exit(f"compare ended with {code}, expected 0\n{text}")
        code, text = call("claims", result)
        if code not in (0, 1) or "cannot be judged" in text:
            sys.exit(f"claims ended with {code}, expected 0 or 1 and none that cannot be judged\n{text}")


if __name__ == "__main__":
    main()
