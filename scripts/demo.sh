#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A walk through one table that Hudi on Spark wrote: 24 support tickets, then a day of changes, one
# deletion, and a day of new tickets.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unzip -q test/data/tables/tickets.zip -d "$folder"
PATH=$PWD/build:$PATH
cd "$folder"

if [ -t 1 ]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

step() {
  printf '\n%s%s%s\n' "$bold" "$1" "$plain"
  shift
  printf '%s$ %s%s\n' "$dim" "$(quote "$@")" "$plain"
  "$@"
}

# The command as one would type it.
quote() {
  local word out=()
  for word in "$@"; do
    case "$word" in
      *"'"*) out+=("\"$word\"") ;;
      *[!A-Za-z0-9_./,=:-]*) out+=("'$word'") ;;
      *) out+=("$word") ;;
    esac
  done
  echo "${out[*]}"
}

columns=id,customer,country,status,subject
show_rows=(--format table)  # the default on a terminal only
step 'What is this table?' firth show tickets
step 'Its rows, merged from base files and logs while they are read' \
  firth read tickets --columns $columns "${show_rows[@]}" --where "country = 'de' AND status <> 'closed'"
step 'What happened to it' firth timeline tickets
step 'Travel in time: the first commit, before anything was closed or deleted' \
  firth read tickets --as-of 20261130190547701 --columns $columns "${show_rows[@]}" --where "country = 'us'" --limit 4
step 'Only what changed since the deletion' \
  firth read tickets --incremental 20261130190602012 --columns $columns "${show_rows[@]}"
step 'Find rows by their words, best first' \
  firth search text tickets 'payment declined' --column body -k 5 --columns id,status,subject "${show_rows[@]}"
step 'The same question asked of the first snapshot' \
  firth search text tickets 'payment declined' --column body -k 5 --columns id,status,subject "${show_rows[@]}" \
  --as-of 20261130190547701
step 'Find rows by their meaning: nearest to a vector, filtered before ranking' \
  firth search vector tickets --column emb --vector '[0,2,0,9,1,0,0,0]' -k 4 \
  --where "status = 'open'" --columns id,country,subject "${show_rows[@]}"
printf '\n%s\n' 'All of it in this process: no JVM, no server, no copy of the data. Next: docs/guide/read.md'
