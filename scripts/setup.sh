#!/usr/bin/env bash
# The one set-up step behind run.sh and test.sh: installs missing Debian packages, configures, builds.
# With nothing to do it takes a fraction of a second.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'USAGE'
usage: scripts/setup.sh [--tests] [--site] [--preset release|debug|asan]

Installs the Debian packages that are missing (with sudo when not root), configures build/PRESET and builds
the program ccpbench there. --tests builds the tests, too; --site is for scripts/site.sh. CCPBENCH_SKIP_PACKAGES=1 leaves the packages to you.
USAGE
}

die() { echo "setup: $*" >&2; exit 1; }

tests=no
site=no
preset=release
while (($#)); do
  case $1 in
    --tests) tests=yes ;;
    --site) site=yes ;;
    --preset) [[ $# -ge 2 ]] || { usage >&2; exit 2; }; preset=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
case $preset in
  release | debug | asan) ;;
  *) echo "setup: unknown preset '$preset', expected release, debug or asan" >&2; exit 2 ;;
esac

packages=(g++ cmake ninja-build ccache libeigen3-dev libmumps-seq-dev libopenblas0-pthread libsuitesparse-dev libhdf5-dev
  libfmt-dev libcli11-dev nlohmann-json3-dev python3-matplotlib libjs-chart.js pybind11-dev python3-dev liburdfdom-dev)
# Of these, the peers (Siconos, CVXOPT, Ipopt, DART, Simbody, Bullet), PETSc and Open MPI, Octave, Clang, the shells, mandoc, lintian, pandas, scipy, mypy, h5py, VTK, Snakemake,
# Slurm, Chromium and those of the site are optional: tests that need them are skipped where they are missing.
if [[ $tests == yes ]]; then
  packages+=(catch2 pkg-config dpkg-dev file lintian libfclib-dev python3-pandas python3-scipy python3-mypy python3-h5py python3-vtk9 snakemake slurm-wlm chromium
    clang libclang-rt-dev zsh fish mandoc python3-siconos python3-cvxopt coinor-libipopt-dev libdart-dev libsimbody-dev libbullet-dev octave petsc-dev openmpi-bin)
fi
if [[ $tests == yes || $site == yes ]]; then packages+=(furo python3-myst-parser python3-sphinx); fi

build=$root/build/$preset
mkdir -p "$root/build" || die "cannot write to $root/build"
log=$root/build/setup-$preset.log
log_name=${log#"$PWD/"}
show_progress=no
if [[ -t 2 ]]; then show_progress=yes; fi

# What takes more than a second is said; then once a minute where it is. The pipe to the reporter ends with the command or with
# this script, so that nobody kills the reporter: bash complains of "No record of process" when a child is killed as it starts.
goes_on() {  # goes_on SECONDS: 1 as soon as the pipe ends
  local status=0
  read -rt "$1" || status=$?
  ((status > 128))
}

report() {
  local minutes=0
  goes_on 1 || return 0
  echo "setup: $1 (log: $log_name)" >&2
  while goes_on 60; do
    minutes=$((minutes + 1))
    echo "setup: after $minutes min: $(tail -n 1 "$log" | tr -dc '[:print:]' | cut -c 1-100)" >&2
  done
}

# quietly WHAT COMMAND...: the output of the command goes to the log, which is shown only when the command fails.
quietly() {
  local what=$1 status=0 pipe reporter
  shift
  exec {pipe}> >(report "$what")
  reporter=$!
  "$@" >"$log" 2>&1 </dev/null {pipe}>&- || status=1
  exec {pipe}>&-
  wait "$reporter" || true
  if ((status != 0)); then tail -n 60 "$log" >&2; fi
  return "$status"
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

installed_packages() {
  dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^installed //p'
}

missing_packages() {
  comm -23 <(printf '%s\n' "${packages[@]}" | LC_ALL=C sort) <(installed_packages | LC_ALL=C sort -u)
}

# Prints what it installed on stderr; answers 0 when something was installed, 3 when nothing was missing.
install_packages() {
  if [[ ${CCPBENCH_SKIP_PACKAGES:-0} == 1 ]]; then return 3; fi
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this is not Debian or Ubuntu: install the equivalents of '${packages[*]}' and set CCPBENCH_SKIP_PACKAGES=1"
  local missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then return 3; fi
  if [[ $(id -u) != 0 ]]; then
    local advice="as root: apt-get install --no-install-recommends ${missing[*]}"
    command -v sudo >/dev/null || die "not root and no sudo here; $advice"
    # The password is asked for here, because apt-get's own output goes to a log.
    if [[ -t 0 ]]; then sudo -v; else sudo -n true 2>/dev/null; fi ||
      die "sudo refused; $advice"
  fi
  echo "setup: installing packages, some minutes: ${missing[*]}" >&2
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  quietly "reading Debian's lists of packages" as_root "${apt[@]}" update || die "apt-get update failed (see above)"
  quietly "fetching and unpacking packages" as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" || die "apt-get install failed (see above)"
}

cache_entry() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null; }

configured() {
  [[ -e $build/build.ninja ]] || return 1
  # A tree that was moved or copied still names its old home.
  [[ $(cache_entry CMAKE_HOME_DIRECTORY) == "$root" ]] || return 1
  [[ $tests == no || $(cache_entry CCPBENCH_BUILD_TESTS) == ON ]]
}

configure() {
  local options=() build_tests=OFF
  if [[ $tests == yes || $(cache_entry CCPBENCH_BUILD_TESTS) == ON ]]; then build_tests=ON; fi
  if [[ -e $build/CMakeCache.txt && $(cache_entry CMAKE_HOME_DIRECTORY) != "$root" ]]; then options+=(--fresh); fi
  cd "$root"
  quietly "configuring build/$preset" cmake --preset "$preset" "-DCCPBENCH_BUILD_TESTS=$build_tests" "${options[@]}" ||
    die "configuring failed (see above)"
}

# A change of CMakeLists.txt needs no care here: ninja runs cmake again by itself.
build() {
  local command=(cmake --build "$build")
  if [[ $tests == no ]]; then command+=(--target ccpbench); fi
  if [[ $show_progress == yes ]]; then
    echo "setup: building build/$preset" >&2
    "${command[@]}" >&2 || die "the build failed (see above)"
  else
    quietly "building build/$preset, some minutes from nothing" "${command[@]}" || die "the build failed (see above; the whole log is in $log)"
  fi
}

status=0
install_packages || status=$?
((status == 0 || status == 3)) || exit "$status"
# What cmake looked for in vain may be there now.
if ((status == 0)) || ! configured; then configure; fi
build
