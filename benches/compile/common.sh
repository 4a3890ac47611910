# What the scripts here share: sourced, with the number of rounds as $1.
set -euo pipefail

rounds=${1:-5}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR="$work/target" CARGO_TERM_COLOR=never

crate() { # name; its lib.rs comes from the standard input
    mkdir -p "$work/$1/src"
    cat > "$work/$1/Cargo.toml" <<TOML
[package]
name = "$1"
version = "0.0.0"
edition = "2024"

[dependencies]
agentltl = { path = "$root/agentltl" }

[workspace]
TOML
    cp "$root/Cargo.lock" "$work/$1/Cargo.lock"
    cat > "$work/$1/src/lib.rs"
}

seconds() { # crate, cargo arguments
    local name=$1 best= round start end took
    shift
    (cd "$work/$name" && cargo "$@" -q)
    for ((round = 0; round < rounds; round++)); do
        # Whatever was kept of the crate goes, also what is kept for the next build of it.
        (cd "$work/$name" && cargo clean -q -p "$name" && cargo clean -q --release -p "$name")
        start=$(date +%s%N)
        (cd "$work/$name" && cargo "$@" -q)
        end=$(date +%s%N)
        took=$(((end - start) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    echo "$best"
}
