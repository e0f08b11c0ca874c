#!/bin/sh
# help_files.sh PROGRAM FOLDER: the manual page and the completions of shells, as the program prints them, where an installation
# has them below its prefix.
set -eu
man=$2/man/man1
bash=$2/bash-completion/completions
zsh=$2/zsh/vendor-completions
fish=$2/fish/vendor_completions.d
rm -rf "$2"
mkdir -p "$man" "$bash" "$zsh" "$fish"
"$1" man | gzip -9n >"$man/ccpbench.1.gz"
"$1" completion bash >"$bash/ccpbench"
"$1" completion zsh >"$zsh/_ccpbench"
"$1" completion fish >"$fish/ccpbench.fish"
