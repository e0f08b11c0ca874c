#!/usr/bin/env bash
# Sets up, builds the tests and runs them; with --unit only the fast ones. With --asan (or CCPBENCH_SANITIZE=1) they run once more
# under the address and undefined-behaviour sanitizers, after the release suite has passed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'USAGE'
usage: scripts/test.sh [--unit] [--asan] [CTEST OPTION...]

Installs what is missing, builds the tests and runs all of them; tests that lack something here (FCLib dumps, a peer) are
reported as skipped. Other options go to ctest, for example:
  --unit           only the fast tests, those with the label 'unit': what to run while you work
  --asan           once more under the address and undefined-behaviour sanitizers
  -R cones         only the tests whose name matches
CTEST_PARALLEL_LEVEL is how many run at once (default: one more than there are cores, since some tests wait).
USAGE
}

presets=(release)
if [[ ${CCPBENCH_SANITIZE:-0} == 1 ]]; then presets=(release asan); fi
arguments=()
for argument in "$@"; do
  case $argument in
    --unit) arguments+=(-L '^unit$') ;;
    --asan) presets=(release asan) ;;
    -h | --help) usage; exit 0 ;;
    *) arguments+=("$argument") ;;
  esac
done

cd "$root"
for preset in "${presets[@]}"; do
  scripts/setup.sh --tests --preset "$preset"
  echo "test: the $preset suite" >&2
  ctest --preset "$preset" --parallel "${CTEST_PARALLEL_LEVEL:-$(($(nproc) + 1))}" "${arguments[@]}"
done
