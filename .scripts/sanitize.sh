#!/usr/bin/env bash
# Runs the core's tests, or the addon in Node, under AddressSanitizer.
#
#   sanitize.sh core [ARGUMENT ...]     arguments of cargo test, as in: sanitize.sh core --lib groth16
#   sanitize.sh addon [SECONDS]         fuzz-boundary.mjs (default: 60 seconds), then the suite of the exports
#
# Builds in native/target/sanitize. The addon uses the runtime of the C compiler (libasan), which Node loads
# first; the core uses that of rustc.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

triple=$(rustc -vV | sed -n 's/^host: //p')
# rustc needs a nightly compiler only for the flag of the sanitizer.
export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address
# Little optimization: with the checks of the sanitizer, the kernels take very long to compile.
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_TEST_OPT_LEVEL=1
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_STRIP=none
cargo=(cargo --locked --config "build.target-dir='target/sanitize'")

core() {
  # The sanitizer enlarges the stack frames, so the test threads need larger stacks.
  (cd native && RUST_MIN_STACK=67108864 "${cargo[@]}" test --target "$triple" -p proofgate-core "$@")
}

addon() {
  (cd native && "${cargo[@]}" build --release --target "$triple" -p proofgate-addon)
  local runtime built=native/target/sanitize/$triple/release
  runtime=$(cc -print-file-name=libasan.so)
  [ -e "$runtime" ] || { echo 'sanitize: the C compiler has no libasan.so' >&2; exit 1; }
  cp "$built/libproofgate_addon.so" "$built/proofgate.node"
  export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 LD_PRELOAD=$runtime
  echo "sanitize: the addon in Node $(node --version)"
  node .scripts/fuzz-boundary.mjs "${1:-60}" "$PWD/$built/proofgate.node"
  # The suite of the exports loads the addon from its usual place.
  place=native/addon/proofgate.$(node -p '`${process.platform}-${process.arch}`')-gnu.node
  [ ! -e "$place" ] || mv "$place" "$place.aside"
  trap 'rm -f "$place"; [ ! -e "$place.aside" ] || mv "$place.aside" "$place"' EXIT
  cp "$built/proofgate.node" "$place"
  # without the usual configuration, whose setup would build the addon again
  echo 'export default { test: { maxWorkers: 1, testTimeout: 600_000 } };' >native/target/sanitize/vitest.config.mjs
  node node_modules/vitest/vitest.mjs run --config native/target/sanitize/vitest.config.mjs --root . \
    test/wasm/exports.test.ts -t 'the addon'
}

case ${1:-} in
  core | addon) "$@" ;;
  *) sed -n '2,/^set/{/^#/p}' .scripts/sanitize.sh | cut -c3-; exit 2 ;;
esac
