#!/usr/bin/env bash
# Installs the MCP server that tests/third_party_mcp.rs drives, in a temporary folder, and runs the test.
set -euo pipefail
version=2026.8.31
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-fund --no-audit --prefix "$folder" "@modelcontextprotocol/server-filesystem@$version"
export MCP_FILESYSTEM="$folder/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
test -f "$MCP_FILESYSTEM"
cd "$(dirname "$0")/../.."
cargo test -p agentltl-agent --test third_party_mcp "$@"
