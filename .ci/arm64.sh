#!/usr/bin/env bash
# Linux on ARM64 under emulation (qemu-user): runs the Rust tests of the core. The long tests of test/arm64 start the
# service and cross-check the committed addon over 20,000 cases; test/arm64 also compares the digests of the sources with
# the record of the addon, and `npm run build:arm64 -- --check` rebuilds it, which takes minutes. The log of the Rust
# tests goes to the folder of the first argument, where .ci/sum.mjs counts them.
#
# Tests run without debug assertions, because emulated code is slow; `cargo test` on the machine's own processor has the
# assertions. They are little optimised, since compiling takes longer than running, and the integration tests, for which
# the core would be compiled once more, do not run: the cross-check has more cases of what they do, on the real addon.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
results=$1
target=aarch64-unknown-linux-gnu
qemu='qemu-aarch64 -L /usr/aarch64-linux-gnu'

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
  if ! command -v "$tool" >/dev/null; then
    # CI has installed it, see install_arm64 of .ci/lib.sh.
    [ "${CI-}" != true ] || { echo "ARM64 under emulation: $tool is not installed" >&2; exit 1; }
    echo "skipped: ARM64 under emulation: $tool is not installed"
    exit 0
  fi
done

# With the system's Rust, for which the sources of the standard library are installed.
cd native || exit
PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind,test CARGO_INCREMENTAL=0 \
  CARGO_TARGET_DIR=target/arm64-tests \
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$qemu \
  CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_TEST_DEBUG=false CARGO_PROFILE_TEST_DEBUG_ASSERTIONS=false \
  cargo test --locked --package proofgate-core --lib --target "$target" -- --show-output 2>&1 | tee "$results/cargo-arm64.log"
