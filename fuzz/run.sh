#!/usr/bin/env bash
# The fuzzer without cargo-fuzz, on any toolchain: run.sh TARGET [libFuzzer options..]
set -euo pipefail
cd "$(dirname "$0")"
target="$1"
shift
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
# With a target named, build scripts and macros are left as they are.
host="$(rustc -vV | sed -n 's/^host: //p')"
cargo build --release --quiet --target "$host" --bin "$target"
mkdir -p "corpus/$target"
exec "target/$host/release/$target" "corpus/$target" "$@"
