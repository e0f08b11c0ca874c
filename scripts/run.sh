#!/usr/bin/env bash
# Sets up, runs configs and draws their plots.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$scripts/../build/release/apps/ccpbench/ccpbench

usage() {
  cat <<'USAGE'
usage: scripts/run.sh CONFIG... [OPTION...]

Installs what is missing, builds, runs every CONFIG (for example configs/test1a.json) and draws the plots
into results/NAME/plots/. The options are those of `ccpbench run`, for example:
  --out DIR        write the results to DIR/NAME instead of results/NAME
  --size small     the size that takes seconds
  --only GLOB      only the cells whose name matches
  --fresh          run every cell again instead of only the missing ones
Exit code: 0 done, 1 set-up failed, 2 bad input, 3 some cells failed (the rest is written and drawn), 130 interrupted.
USAGE
}

quiet=()
for argument in "$@"; do
  case $argument in
    -h | --help) usage; exit 0 ;;
    --quiet) quiet=(--quiet) ;;
  esac
done
if (($# == 0)) || [[ $1 == -* && $# -eq 1 ]]; then
  usage >&2
  exit 2
fi

"$scripts/setup.sh"

printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
# tee outlives Ctrl-C, so that the program can still say what it has written.
status=0
"$program" run "$@" | tee -i "$printed" || status=${PIPESTATUS[0]}
# The program names its result folders when it says done (0) or done except for some cells (3).
if ((status == 0 || status == 3)); then
  mapfile -t folders < <(sed -n 's/^results: //p' "$printed")
  if ((${#folders[@]})); then
    for kind in convergence sweep maps sequence means tables; do
      "$scripts/plot_$kind.py" "${quiet[@]}" "${folders[@]}" || exit 1
    done
  fi
fi
exit "$status"
