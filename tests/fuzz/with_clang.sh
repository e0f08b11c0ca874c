#!/bin/sh
# with_clang.sh CLANG COMPILER ARGUMENT...: runs Clang in the place of the compiler of this build, for what is to be fuzzed.
clang=$1
shift 2
for argument; do
  shift
  case $argument in -fopenmp | -Wno-restrict) ;; *) set -- "$@" "$argument" ;; esac
done
if command -v ccache >/dev/null; then exec ccache "$clang" "$@"; fi
exec "$clang" "$@"
