#!/usr/bin/env bash
# Runs cases whose verdicts are known by construction through every arithmetic, one by one and in batches.
#
#   cross-check.sh all                       1,000,000 on the arithmetics of this processor, 20,000 on the emulated
#                                            ones, 100,000 on arkworks and on the WebAssembly modules
#   cross-check.sh ARITHMETICS FROM TO       a range, as in: cross-check.sh adx,ifma 0 1000000
#   cross-check.sh wasm COUNT                the WebAssembly modules, by the runner in test/engine
#   cross-check.sh show                      the runs of the present sources, as rows of a table
#
# ARITHMETICS: names of engine.backend without `native-`, and `hardware`, `emulated`, `arkworks`.
# A command that was interrupted resumes when it is run again. Progress and binary are in
# .proofgate/cross-check/DIGEST, where DIGEST is that of the sources: changed sources start over.
# INPUTS=15 selects the key of World ID 4.0 alone, with 15 public inputs.
# SEED=NUMBER selects other cases, JOBS=NUMBER the number of processes of `all` (default: one per core).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^set/{/^#/p}' .scripts/cross-check.sh | cut -c3-; exit 2; }

seed=${SEED:-24301}
inputs=${INPUTS:-}
digest=$(
  find native/core native/Cargo.toml native/Cargo.lock -type f \( -name '*.rs' -o -name 'Cargo.*' \) -print0 |
    sort -z | xargs -0 sha256sum | sha256sum | cut -c1-12
)
folder=$PWD/.proofgate/cross-check/$digest
binary=$folder/cross-check
mkdir -p "$folder"

# Builds the binary from the present sources, in the profile of the shipped addon.
build() {
  [ -x "$binary" ] && return
  echo "cross-check: building for $digest, commit $(git describe --always --dirty)" >&2
  local built
  built=$(
    cd native && cargo test --release --locked -p proofgate-core --test cross_check --no-run --message-format=json |
      sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
  )
  cp "$built" "$binary.new"
  mv "$binary.new" "$binary"
}

range() {
  [ -z "$inputs" ] || export CROSS_CHECK_INPUTS=$inputs
  CROSS_CHECK_ARITHMETICS=$1 CROSS_CHECK_FROM=$2 CROSS_CHECK_TO=$3 CROSS_CHECK_SEED=$seed \
    CROSS_CHECK_FILE="$folder/$1-$2-$3-$seed${inputs:+-$inputs-inputs}.json" \
    nice -n 19 "$binary" --ignored --exact long_run --nocapture
}

wasm() {
  # The digest does not cover the modules; their own record says what they were built from.
  local modules
  modules=$(cat wasm/artifact/*.wasm test/support/crypto/proof-cases.ts | sha256sum | cut -c1-12)
  CASES=$1 CROSS_CHECK_SUBJECTS=wasm-relaxed,wasm-simd,wasm-scalar CROSS_CHECK_INPUTS=${inputs:-4} \
    CROSS_CHECK_FILE="$folder/wasm-$modules${inputs:+-$inputs-inputs}.json" \
    nice -n 19 node .scripts/test.mjs test/engine/backends/cross-check.long.test.ts
}

case ${1:-} in
  all)
    build
    export SEED=$seed
    # the long ones first, so that the cores finish at about the same time
    printf '%s\n' 'hardware 0 500000' 'hardware 500000 1000000' 'wasm 100000' 'arkworks 0 100000' \
      'emulated 0 20000' | xargs -P "${JOBS:-$(nproc)}" -L 1 .scripts/cross-check.sh
    ;;
  wasm) [ $# = 2 ] || usage; wasm "$2" ;;
  show) node .scripts/cross-check-table.mjs "$folder" "$(git describe --always --dirty)" ;;
  '' | -*) usage ;;
  *) [ $# = 3 ] || usage; build; range "$@" ;;
esac
