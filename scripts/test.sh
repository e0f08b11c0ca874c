#!/usr/bin/env bash
# Sets up, builds the tests and runs them. With --asan (or CCPBENCH_SANITIZE=1) they run once more under the address and
# undefined-behaviour sanitizers, after the release suite has passed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

presets=(release)
if [[ ${CCPBENCH_SANITIZE:-0} == 1 ]]; then presets=(release asan); fi
arguments=()
for argument in "$@"; do
  case $argument in
    --asan) presets=(release asan) ;;
    -h | --help)
      echo "usage: scripts/test.sh [--asan] [CTEST OPTION...]      e.g. scripts/test.sh -R cones"
      exit 0
      ;;
    *) arguments+=("$argument") ;;
  esac
done

cd "$root"
for preset in "${presets[@]}"; do
  scripts/setup.sh --tests --preset "$preset"
  echo "test: the $preset suite" >&2
  ctest --preset "$preset" --parallel "${CTEST_PARALLEL_LEVEL:-2}" "${arguments[@]}"
done
