#!/usr/bin/env bash
# Builds the documentation site from the Markdown of the repository and from what the program says of itself.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'USAGE'
usage: scripts/site.sh [--out DIR]

Installs what is missing (Sphinx, MyST and the theme Furo, besides what the program needs), builds the program, and makes the
site in build/site: open build/site/index.html. It needs no network and no server. A warning is an error: then nothing is written.
  --out DIR        write the site into DIR instead: a new or an empty folder, or an earlier site
USAGE
}

arguments=()
while (($#)); do
  case $1 in
    --out) [[ $# -ge 2 ]] || { usage >&2; exit 2; }; arguments+=(--out "$2"); shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "site: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

"$scripts/setup.sh" --site
exec "$scripts/site/build.py" "${arguments[@]}"
