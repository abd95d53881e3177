#!/usr/bin/env bash
# Checks on compiled code that no branch and no address of signing depends on the key
# (src/docs/spec/engine.md#constant-time). Run it after a change of signing or of its arithmetic, and with a compiler
# that nobody has run it with.
#
#   constant-time.sh [METHOD ...]   all methods without arguments
#
#   memcheck   portable, adx and avx2 under valgrind, with the seed as undefined memory: branches and addresses
#   steps      ifma, which valgrind does not execute, instruction by instruction: branches
#   arm64      arm64 under qemu-user, by the trace of executed blocks: branches
#
# Each method must also report a control that leaks on purpose. What a machine cannot run is skipped by name. Builds
# native/constant-time with the profile of the addon, in target folders of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# What the profile strips names the place of a finding.
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
target=$PWD/native/target/constant-time
failed=0

fail() {
  echo "FAILED: $*" >&2
  failed=1
}

lacks() {
  local method=$1 tool
  shift
  for tool in "$@"; do
    if ! command -v "$tool" >/dev/null; then
      echo "skipped: constant time by $method: $tool is not installed"
      return 0
    fi
  done
  return 1
}

# build FOLDER [RUSTFLAGS]
build() {
  (cd native && RUSTFLAGS="${2-}" cargo build --locked --release -p proofgate-constant-time --target-dir "$target/$1")
}

# expect STATUS NAME COMMAND: the exit code of a check; 2 says that this machine does not run it.
expect() {
  local expected=$1 name=$2 status=0
  shift 2
  echo "-- $name"
  "$@" >"$target/log" 2>&1 || status=$?
  if [ "$status" = 2 ]; then
    echo "skipped: $name: $(tail -1 "$target/log")"
  elif [ "$status" = "$expected" ]; then
    echo ok
  else
    cat "$target/log"
    fail "$name: exit code $status, expected $expected"
  fi
}

memcheck() {
  lacks memcheck valgrind && return
  local valgrind=(valgrind --quiet --error-exitcode=9 --num-callers=30) control
  build plain
  # valgrind executes ADCX and ADOX, but its CPUID does not name them: this flag answers the question of the program
  # when it is compiled.
  build adx '-C target-feature=+adx'
  for control in branch address; do
    expect 9 "control, $control" "${valgrind[@]}" "$target/plain/release/constant-time" memcheck "$control"
  done
  expect 0 'portable' "${valgrind[@]}" "$target/plain/release/constant-time" memcheck portable
  expect 0 'avx2 with portable scalars' "${valgrind[@]}" "$target/plain/release/constant-time" memcheck avx2
  expect 0 'adx' "${valgrind[@]}" "$target/adx/release/constant-time" memcheck adx
  expect 0 'avx2 with scalars of adx' "${valgrind[@]}" "$target/adx/release/constant-time" memcheck avx2
}

steps() {
  if [ "$(uname -sm)" != 'Linux x86_64' ]; then
    echo 'skipped: constant time by steps: this is not Linux on x86-64'
    return
  fi
  build plain
  expect 1 'control, branch' "$target/plain/release/constant-time" steps branch
  expect 0 'ifma' "$target/plain/release/constant-time" steps ifma
}

# The executed blocks of the whole program; equal arguments and a fixed seed of qemu make them reproducible.
trace() {
  qemu-aarch64 -seed 1 -L /usr/aarch64-linux-gnu -d exec,nochain -D "$target/trace" \
    "$target/arm64/aarch64-unknown-linux-gnu/release/constant-time" run "$1" "$2" &&
    sed 's/^Trace [0-9]*: [^ ]* //' "$target/trace" >"$target/trace.$2" && [ -s "$target/trace.$2" ]
}

same_traces() {
  local seed
  trace "$1" 0 || return 3
  for seed in 1 2 3; do
    trace "$1" "$seed" || return 3
    cmp "$target/trace.0" "$target/trace.$seed" || return 1
  done
}

arm64() {
  lacks arm64 qemu-aarch64 aarch64-linux-gnu-gcc && return
  # With the system's Rust, for which the sources of the standard library are installed.
  (cd native && PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    cargo build --locked --release -p proofgate-constant-time --target aarch64-unknown-linux-gnu \
    --target-dir "$target/arm64")
  expect 1 'control, branch' same_traces branch
  expect 0 'arm64' same_traces arm64
  rm -f "$target"/trace*
}

methods=("$@")
[ $# -gt 0 ] || methods=(memcheck steps arm64)
mkdir -p "$target"
for method in "${methods[@]}"; do
  echo "== constant time by $method"
  case $method in
    memcheck) memcheck ;;
    steps) steps ;;
    arm64) arm64 ;;
    *) sed -n '2,/^set/{/^#/p}' .scripts/constant-time.sh | cut -c3-; exit 2 ;;
  esac
done
[ $failed = 0 ]
