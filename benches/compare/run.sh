#!/usr/bin/env bash
# Installs what AgentLTL is compared with, runs all of it on the same workloads, and prints the table as
# Markdown, with the machine. Fails if AgentLTL is not as much faster as it must be.
# An interpreter that has the reference can be given in AGENTLTL_PYTHON.
set -euo pipefail
cd "$(dirname "$0")"
python="${AGENTLTL_PYTHON:-}"
if [ -z "$python" ]; then
    python3 -m venv target/reference
    target/reference/bin/pip install --quiet agentltl==0.2.1
    python=target/reference/bin/python
fi
cargo build --release --locked --quiet
version() { sed -n "/^name = \"$1\"/{n;s/version = \"\(.*\)\"/\1/p}" Cargo.lock; }
cpu="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1)"
printf '%s, %s cores, %s; %s; ' "${cpu:-$(uname -m)}" "$(nproc)" "$(rustc --version | cut -d' ' -f1-2)" "$("$python" --version)"
printf 'agentltl (Python) 0.2.1, cedar-policy %s, regorus %s, telo %s\n\n' \
    "$(version cedar-policy)" "$(version regorus)" "$(version telo)"
# glibc would give memory back after a run and ask for it again in the next, a page at a time: that would be
# measured in one place and not in another, as the heap lies.
export MALLOC_MMAP_THRESHOLD_=4000000000 MALLOC_TRIM_THRESHOLD_=4000000000 MALLOC_TOP_PAD_=100000000
exec target/release/agentltl-compare "$python"
