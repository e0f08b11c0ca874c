#!/usr/bin/env bash
# A sweep as a Slurm array job: one task a shard, and again for the shards that a first pass left incomplete.
#
# The same file is the command that submits and, inside the array, the task that runs.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: scripts/slurm_sweep.sh [SHARDS] CONFIG... [-- OPTION...]

Submits SHARDS (default 8) array tasks, each of which runs its share of the cells of every CONFIG with
`ccpbench run --shard K/N`, waits for them, submits the shards with missing cells again (up to CCPBENCH_TRIES times in all,
default 3), and merges. The OPTIONs after -- are those of `ccpbench run`, such as --size small or --fclib DIR.

The results are in results/NAME (--out DIR: DIR/NAME). Each shard writes to a folder of its own, OUT/.shards/K, which
merging copies; on a machine of its own a task may write to a local disk, named in CCPBENCH_SCRATCH.
  CCPBENCH_PROGRAM    the program (default: build/release/apps/ccpbench/ccpbench of this tree)
  CCPBENCH_SBATCH     more options of sbatch, such as "--partition=long --time=2:00:00 --cpus-per-task=4"

A task of several nodes is for cells of many ranks, which mpiexec puts on its nodes: CCPBENCH_SBATCH="--nodes=2
--ntasks-per-node=16" with --ranks 32 after --. It runs one cell at a time.

Also without this script: `sbatch --array=1-8 scripts/slurm_sweep.sh configs/a.json` runs one share in each task.
Exit code: 0 all cells are there, 1 some shards never finished, 2 bad input or another sweep into the same folder, 3 some cells failed.
USAGE
}

# A spooled copy of this file lies elsewhere, so that the submitting side hands the place on.
root=${CCPBENCH_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
program=${CCPBENCH_PROGRAM:-$root/build/release/apps/ccpbench/ccpbench}

shards=8
configs=() options=() out=results
read_arguments() {
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then shards=$1; shift; fi
  while (($#)) && [[ $1 != -- ]]; do
    if [[ $1 == -* ]]; then echo "slurm_sweep: '$1' belongs after --" >&2; exit 2; fi
    configs+=("$1"); shift
  done
  if (($#)); then shift; fi
  while (($#)); do
    case $1 in
      --out) [[ $# -ge 2 ]] || { usage >&2; exit 2; }; out=$2; shift 2 ;;
      --shard | --shard=*) echo "slurm_sweep: the shards are given by the array" >&2; exit 2 ;;
      *) options+=("$1"); shift ;;
    esac
  done
  ((${#configs[@]} && shards > 0)) || { usage >&2; exit 2; }
}

# One task. Arrays may start at 0 or at 1, and a resubmitted one has gaps, so that the submitting side says how many there are.
run_task() {
  local count=${CCPBENCH_SHARDS:-$SLURM_ARRAY_TASK_COUNT} index
  index=$((SLURM_ARRAY_TASK_ID - ${CCPBENCH_FIRST_SHARD:-$SLURM_ARRAY_TASK_MIN} + 1))
  local home=$out/.shards/$index place=$out/.shards/$index status=0
  mkdir -p "$home"
  if [[ -n ${CCPBENCH_SCRATCH:-} ]]; then
    place=$CCPBENCH_SCRATCH/ccpbench-${SLURM_ARRAY_JOB_ID:-$$}-$index
    mkdir -p "$place"
    cp -a "$home/." "$place/"  # what an earlier try has finished
  fi
  # Cells side by side would all begin on the first node.
  local jobs=${SLURM_CPUS_PER_TASK:-1}
  if ((${SLURM_JOB_NUM_NODES:-1} > 1)); then jobs=1; fi
  "$program" run "${configs[@]}" --shard "$index/$count" --out "$place" --jobs "$jobs" --quiet \
    "${options[@]}" || status=$?
  if [[ $place != "$home" ]]; then cp -a "$place/." "$home/" && rm -rf "$place"; fi
  # 3 says that cells failed; they have their result, and another try would find the same.
  if ((status == 0 || status == 3)); then echo "$status" >"$home/done"; fi
  return "$status"
}

unfinished() {
  local index
  for ((index = 1; index <= shards; ++index)); do [[ -e $out/.shards/$index/done ]] || printf '%s\n' "$index"; done
}

merge() {
  local folder
  for folder in "$out"/.shards/*/*/; do
    [[ -d $folder/cells ]] || continue
    mkdir -p "$out/$(basename "$folder")/cells"
    cp -a "$folder/cells/." "$out/$(basename "$folder")/cells/"
  done
  # With every cell there, a run has nothing to do but to write summary.csv and the manifest.
  "$program" run "${configs[@]}" --out "$out" "${options[@]}"
}

sweep() {
  [[ -x $program ]] || { echo "slurm_sweep: there is no program at $program; build it or set CCPBENCH_PROGRAM" >&2; exit 2; }
  command -v sbatch >/dev/null || { echo "slurm_sweep: there is no sbatch here" >&2; exit 2; }
  # Bad input is better found before the queue.
  "$program" run "${configs[@]}" --out "$out" "${options[@]}" --dry-run >/dev/null || exit 2
  mkdir -p "$out/.shards"
  # The lock is that of the open file: it is lifted when this script and the sbatch it waits for have ended; the file stays.
  exec {lock}>>"$out/.shards/.lock"
  if ! flock --nonblock "$lock"; then
    echo "slurm_sweep: another sweep writes to $out (process $(tail -n 1 "$out/.shards/.lock")): wait for it, or choose another folder" \
      "with --out" >&2
    exit 2
  fi
  echo "$$ on $(hostname), since $(date --utc +%FT%TZ)" >"$out/.shards/.lock"
  rm -f "$out"/.shards/*/done
  local try left
  export CCPBENCH_ROOT=$root CCPBENCH_SHARDS=$shards CCPBENCH_FIRST_SHARD=1
  for ((try = 1; try <= ${CCPBENCH_TRIES:-3}; ++try)); do
    left=$(unfinished | paste -sd,)
    [[ -n $left ]] || break
    echo "slurm_sweep: try $try, shards $left of $shards" >&2
    # sbatch --wait answers 1 when a task did; which one is seen from what it wrote.
    # shellcheck disable=SC2086
    sbatch --wait --parsable --job-name=ccpbench --array="$left" --output="$out/.shards/log-%a.txt" --open-mode=append \
      ${CCPBENCH_SBATCH:-} "${BASH_SOURCE[0]}" "${configs[@]}" -- --out "$out" "${options[@]}" || true
  done
  left=$(unfinished | paste -sd,)
  if [[ -n $left ]]; then
    echo "slurm_sweep: the shards $left did not finish; see $out/.shards/log-*.txt" >&2
    exit 1
  fi
  merge
}

case ${1:-} in -h | --help) usage; exit 0 ;; esac
read_arguments "$@"
if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then run_task; else sweep; fi
