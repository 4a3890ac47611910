#!/usr/bin/env bash
# Installs what AgentLTL is compared with, runs all of it on the same workloads, prints the table.
# An interpreter that has the reference can be given in AGENTLTL_PYTHON.
set -euo pipefail
cd "$(dirname "$0")"
python="${AGENTLTL_PYTHON:-}"
if [ -z "$python" ]; then
    python3 -m venv target/reference
    target/reference/bin/pip install --quiet agentltl==0.2.1
    python=target/reference/bin/python
fi
cargo build --release --quiet
exec target/release/agentltl-compare "$python"
