#!/usr/bin/env bash
# Compares our block LU and ordering with MUMPS, UMFPACK, AMD and METIS on the matrices of proximal_newton.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'USAGE'
usage: scripts/bench_block_lu.sh [OPTION...]

Builds the benchmark and prints its tables in Markdown (10 to 30 minutes). results/BLOCK_LU.md has them.
  --fclib DIR      also the FCLib dumps below DIR with at least 50 constraints
  --repeat N       repetitions, whose medians are printed (7)
  --only TEXT      only the problems whose name contains TEXT
  --quick          only the smallest problem
Exit code: 0 done, 1 a solution of ours was not accurate, 2 bad input or a failed build.
USAGE
}

for argument in "$@"; do
  case $argument in -h | --help) usage; exit 0 ;; esac
done

cmake -S "$root" --preset release -DCCPBENCH_BUILD_TESTS=ON >&2 || exit 2
cmake --build "$root/build/release" --target bench_block_lu >&2 || exit 2
exec "$root/build/release/tests/linalg/bench_block_lu/bench_block_lu" "$@"
