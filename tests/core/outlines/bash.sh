#!/usr/bin/env bash
# f() { no; }
set -euo pipefail

readonly LIMIT=3
export MODE=release LEVEL="x  $LIMIT  y"
declare -A NAMES=([a]=1 [b]=2)
items=(1 2)
STAMP=$(date +%s)

log() {
  local text=$1
  printf '%s\n' "$text"
  nested() { :; }
}

function build {
  cat <<EOF
clean() { no; }
  $LIMIT
EOF
}

function ns::run() (
  log "run"
)

if [[ -n ${CI:-} ]]; then
  retry() { "$@"; }
else
  retry() { "$@" || "$@"; }
fi

build | while read -r line; do log "$line"; done
