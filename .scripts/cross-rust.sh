# Sourced by build-wasm.sh and build-arm64.sh, which build committed artifacts for another target, with `artifact` (its
# name in artifact-record.mjs), `target` (Rust's name), `std_crates` (to build if the standard library comes as sources),
# `workspace` (the folder with Cargo.lock) and `mode` (their first argument).
#
# Afterwards `rust_flags` has flags for CARGO_ENCODED_RUSTFLAGS, separated by `separator`; `cargo` and `rustc` are those
# that can build for the target; `std_tool` says where the standard library comes from.
root=$PWD

# A missing tool fails a build. A check without it is skipped by name, but fails in CI, which installs the tools
# (CI=true, as .ci/lib.sh sets it).
lack() {
  if [ "$mode" = "--check" ] && [ "${CI-}" != true ]; then
    echo "skipped: rebuild of the $artifact artifact: $1"
    exit 0
  fi
  echo "$artifact: $1; see the head of $0" >&2
  exit 1
}

record() {
  local command=$1
  shift
  node .scripts/artifact-record.mjs "$artifact" "$command" "$@"
}

# Panic messages name source files; no path of the build machine may end up in a file.
refuse_paths() {
  if grep -aqF -e "$root" -e "${HOME%/}/" "$1"; then
    echo "$artifact: $(basename "$1") names a path of this machine" >&2
    exit 1
  fi
}

expect_sources() {
  if [ "$(record sources)" != "$1" ]; then
    echo "$artifact: a source changed while it was compiled; build again" >&2
    exit 1
  fi
}

if [ "$mode" = "--if-needed" ] && record check >/dev/null; then
  echo "$artifact: the artifact matches its sources"
  exit 0
fi

# Chooses the Rust on PATH or the system's: the first with a compiled library, else the first with sources.
rust=
build_std=
for dir in "$(dirname "$(command -v rustc || echo /usr/bin/rustc)")" /usr/bin; do
  [ -x "$dir/rustc" ] || continue
  library=$("$dir/rustc" --print sysroot)/lib/rustlib
  if compgen -G "$library/$target/lib/libstd-*.rlib" >/dev/null; then
    rust=$dir build_std=
    break
  fi
  if [ -z "$rust" ] && [ -e "$library/src/rust/library/std/Cargo.toml" ]; then
    rust=$dir build_std=yes
  fi
done
[ -n "$rust" ] || lack "no Rust that can build for $target"
export PATH="$rust:$PATH"
sysroot=$(rustc --print sysroot)
std_tool='as shipped'
if [ -n "$build_std" ]; then
  std_tool='built from its sources'
  export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=$std_crates
fi

separator=$'\x1f'
remapped=("$root/$workspace=proofgate")
for prefix in "${CARGO_HOME:-$HOME/.cargo}" "$sysroot/lib/rustlib/src/rust" "$(realpath "$sysroot/lib/rustlib/src/rust" 2>/dev/null || true)"; do
  [ -z "$prefix" ] || remapped+=("$prefix=rust")
done
rust_flags=$(printf -- "--remap-path-prefix=%s$separator" "${remapped[@]}")
rust_flags=${rust_flags%"$separator"}
# Flags that the environment sets for other builds, such as target-cpu, must not apply.
unset RUSTFLAGS
