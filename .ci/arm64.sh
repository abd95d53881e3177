#!/usr/bin/env bash
# Linux on ARM64 under emulation (qemu-user): rebuilds the committed addon and compares it with its record, runs the Rust
# tests of the core and 20,000 cases of the cross-check. The service itself is started by test/arm64/start.long.test.ts.
# The log of the tests goes to the folder of the first argument, where .ci/sum.mjs counts them.
#
# Tests run without debug assertions and with full optimization, because emulated code is slow; `cargo test` on the
# machine's own processor has the assertions.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
results=$1
target=aarch64-unknown-linux-gnu
qemu='qemu-aarch64 -L /usr/aarch64-linux-gnu'
cases=20000
failed=0

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: ARM64 under emulation: $tool is not installed"
    exit 0
  fi
done

# With the system's Rust, for which the sources of the standard library are installed.
cargo_arm64() {
  (
    cd native
    PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind,test CARGO_INCREMENTAL=0 \
      CARGO_TARGET_DIR=target/arm64-tests \
      CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
      CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$qemu \
      CARGO_PROFILE_TEST_OPT_LEVEL=3 CARGO_PROFILE_TEST_DEBUG=false CARGO_PROFILE_TEST_DEBUG_ASSERTIONS=false \
      cargo test --locked --package proofgate-core --target "$target" "$@"
  )
}

part() {
  local name=$1 start=$SECONDS
  shift
  if "$@"; then
    echo "ARM64, $name: ok, $((SECONDS - start))s"
  else
    echo "ARM64, $name: FAILED, $((SECONDS - start))s"
    failed=1
  fi
}

tests() {
  cargo_arm64 --lib --tests 2>&1 | tee "$results/cargo-arm64.log"
  return "${PIPESTATUS[0]}"
}

# One process per core.
cross_check() {
  local binary from jobs share status=0 processes=()
  binary=$(cargo_arm64 --test cross_check --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
  jobs=$(nproc)
  share=$(((cases / jobs + 999) / 1000 * 1000))
  for ((from = 0; from < cases; from += share)); do
    CROSS_CHECK_ARITHMETICS=arm64 CROSS_CHECK_SEED=24301 CROSS_CHECK_FROM=$from \
      CROSS_CHECK_TO=$((from + share < cases ? from + share : cases)) \
      CROSS_CHECK_FILE="$results/cross-check-arm64-$from.json" \
      $qemu "$binary" --ignored --exact long_run --nocapture &
    processes+=($!)
  done
  for process in "${processes[@]}"; do wait "$process" || status=1; done
  return $status
}

# The linker of the addon uses one core, the tests the other.
bash .scripts/build-arm64.sh --check >"$results/arm64-addon.log" 2>&1 &
addon=$!
part 'tests compiled' cargo_arm64 --lib --tests --no-run
part 'Rust tests of the core' tests
part 'cross-check' cross_check
rebuilt() {
  local status=0
  wait "$addon" || status=1
  cat "$results/arm64-addon.log"
  return $status
}
part 'rest of the rebuild of the addon' rebuilt
exit $failed
