#!/usr/bin/env bash
# Runs one fuzz target of native/fuzz, or all of them one after another.
#
#   fuzz.sh TARGET|all [SECONDS]    default: 600 seconds each
#
# Needs cargo-fuzz (`cargo install cargo-fuzz --locked`). The corpus grows in native/fuzz/corpus,
# findings are written to native/fuzz/artifacts; neither is committed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../native"

target=${1:?usage: fuzz.sh TARGET|all [SECONDS]}
seconds=${2:-600}
cargo fuzz --version >/dev/null || { echo "fuzz: cargo-fuzz is not installed; see the head of $0" >&2; exit 1; }
# cargo-fuzz needs a nightly compiler only for the flags of the sanitizer.
export RUSTC_BOOTSTRAP=1

run() {
  echo "fuzz: $1 for $seconds s"
  cargo fuzz run --release --debug-assertions "$1" -- \
    -max_total_time="$seconds" -max_len=4096 -timeout=30 -print_final_stats=1
}

if [ "$target" = all ]; then
  for name in $(cargo fuzz list); do run "$name"; done
else
  run "$target"
fi
