"""A config without a baseline at the small size, by the real program (CCPBENCH_PROGRAM): test_small_config.py NAME.

Some of its cells need MPI or a peer, so that no curve can be stored for every machine. The run ends with 0 and no cell fails. The exit
code is 4 (skipped) where a cell is unsupported for lack of a program."""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]


def main():
    (name,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([PROGRAM, "run", ROOT / "configs" / f"{name}.json", "--size", "small", "--quiet", "--out", folder],
                             capture_output=True, text=True, cwd=folder)
        if ran.returncode != 0:
            sys.exit(f"run ended with {ran.returncode}, expected 0\n{ran.stdout}{ran.stderr}")
        with open(Path(folder) / name / "summary.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if not rows:
            sys.exit("no cells")
        lacking = [row["reason"] for row in rows if row["status"] == "unsupported"]
        if lacking:
            print(f"skipped: {lacking[0]}")
            sys.exit(4)
        claims = subprocess.run([PROGRAM, "claims", Path(folder) / name], capture_output=True, text=True, cwd=folder)
        if claims.returncode not in (0, 1) or "cannot be judged" in claims.stdout:
            sys.exit(f"claims ended with {claims.returncode}, expected 0 or 1 and none that cannot be judged\n{claims.stdout}{claims.stderr}")


if __name__ == "__main__":
    main()
