#!/usr/bin/env bash
# Instructions of one check and record against 25 constraints, by valgrind: the difference between
# runs of 11,000 and of 1,000 calls. Fails above the limit, which is what it was plus a tenth.
set -euo pipefail
cd "$(dirname "$0")/.."
limit="${1:-}"
command -v valgrind >/dev/null || { echo "valgrind is not installed: not counted"; exit 0; }
program="$(cargo bench --bench instructions --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"name":"instructions".*"executable":"\([^"]*\)".*/\1/p' | tail -1)"
count() {
    ROUNDS="$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
each=$((($(count 11) - $(count 1)) / 10000))
echo "$each instructions a check and record"
[ -z "$limit" ] || [ "$each" -le "$limit" ] || { echo "more than $limit"; exit 1; }
