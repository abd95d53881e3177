#!/usr/bin/env bash
# Builds wasm/artifact from native/core and wasm, and writes its record: three modules from one source, which
# differ in the WebAssembly features that they need, and one JavaScript file for all of them.
#
#   build-wasm.sh               builds
#   build-wasm.sh --if-needed   builds only if the record and the sources differ
#   build-wasm.sh --check       builds in another folder and compares with the record; skipped if a tool is missing
#
# Needs wasm-pack (installed by cargo: the npm package of that name downloads a program), wasm-bindgen
# 0.2.128, wasm-ld, and a Rust with either the compiled standard library for wasm32-unknown-unknown or its
# sources, from which it is then built. On Debian:
#
#   apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src lld
#   cargo install wasm-pack --locked
#   cargo install wasm-bindgen-cli --version 0.2.128 --locked
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
target=wasm32-unknown-unknown

# A missing tool fails a build; it skips a check and is named.
lack() {
  if [ "$mode" = "--check" ]; then
    echo "wasm: the rebuild is skipped: $1" >&2
    exit 0
  fi
  echo "wasm: $1; see the head of $0" >&2
  exit 1
}

mode=${1:-}
if [ "$mode" = "--if-needed" ] && node .scripts/wasm-record.mjs check >/dev/null; then
  echo "wasm: the artifact matches its sources"
  exit 0
fi

# npm puts node_modules/.bin first; a wasm-pack there is the downloader, not the tool.
PATH=$(tr ':' '\n' <<<"$PATH" | grep -v node_modules | paste -sd:)

for tool in wasm-pack wasm-bindgen; do
  command -v "$tool" >/dev/null || lack "$tool is not installed"
done

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

if [ -n "$build_std" ]; then
  export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_abort
  # wasm-pack only checks that this folder exists
  [ -d "$sysroot/lib/rustlib/$target/lib" ] || mkdir -p "$sysroot/lib/rustlib/$target/lib"
fi
if command -v wasm-ld >/dev/null; then
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
fi

# Panic messages name source files; no path of the build machine may end up in a module.
separator=$'\x1f'
rust_flags="--remap-path-prefix=$root/wasm/target/workspace=proofgate"
for prefix in "${CARGO_HOME:-$HOME/.cargo}" "$sysroot/lib/rustlib/src/rust" "$(realpath "$sysroot/lib/rustlib/src/rust" 2>/dev/null || true)"; do
  [ -z "$prefix" ] || rust_flags+="$separator--remap-path-prefix=$prefix=rust"
done
# Flags that the environment sets for other builds, such as target-cpu, must not apply.
unset RUSTFLAGS

# Cargo names a crate by its path relative to the workspace, and by its absolute path where that is outside of the
# workspace; names decide the order of functions. So the core is linked into a workspace made for the build, and the
# modules are the same bytes wherever the checkout is.
workspace=$root/wasm/target/workspace
rm -rf "$workspace"
mkdir -p "$workspace"
ln -s "$root/native" "$workspace/native"
ln -s "$root/wasm/src" "$workspace/src"
cp wasm/Cargo.lock "$workspace/"
sed -e 's|"../native/core"|"native/core"|' -e 's|^\[workspace\]$|&\nexclude = ["native"]|' wasm/Cargo.toml >"$workspace/Cargo.toml"

declare -A features=(
  [scalar]=
  [simd]=+simd128
  [relaxed]=+simd128,+relaxed-simd
)
out=$root/wasm/target/artifact
sources=$(node .scripts/wasm-record.mjs sources)
rm -rf "$out"

# Dependencies are compiled for each module separately, since their features differ too.
for name in scalar simd relaxed; do
  CARGO_ENCODED_RUSTFLAGS="$rust_flags${features[$name]:+$separator-Ctarget-feature=${features[$name]}}" \
    CARGO_TARGET_DIR="$root/wasm/target/$name" \
    wasm-pack build "$workspace" --mode no-install --target web --no-gitignore --no-pack --release \
    --out-dir "$out/$name" --out-name proofgate_wasm -- --locked
  mv "$out/$name/proofgate_wasm_bg.wasm" "$out/$name.wasm"
  if grep -aqF -e "$root" -e "${HOME%/}/" "$out/$name.wasm"; then
    echo "wasm: the $name module names a path of this machine" >&2
    exit 1
  fi
  for glue in proofgate_wasm.js proofgate_wasm.d.ts; do
    if ! cmp -s "$out/scalar/$glue" "$out/$name/$glue"; then
      echo "wasm: $glue of the $name module differs from that of the scalar one; they share one" >&2
      exit 1
    fi
  done
done

if [ "$(node .scripts/wasm-record.mjs sources)" != "$sources" ]; then
  echo "wasm: a source changed while it was compiled; build again" >&2
  exit 1
fi
cp "$out"/scalar/proofgate_wasm.{js,d.ts} "$out"/
tools=(
  "rustc=$(rustc --version)"
  "std=$([ -n "$build_std" ] && echo 'built from its sources' || echo 'as shipped')"
  "wasm-pack=$(wasm-pack --version)"
  "wasm-bindgen=$(wasm-bindgen --version)"
  "linker=$(wasm-ld --version 2>/dev/null || echo 'of the Rust distribution')"
)
if [ "$mode" = "--check" ]; then
  exec node .scripts/wasm-record.mjs compare "$out" "${tools[@]}"
fi
mkdir -p wasm/artifact
cp "$out"/proofgate_wasm.{js,d.ts} "$out"/{relaxed,simd,scalar}.wasm wasm/artifact/
node .scripts/wasm-record.mjs write "${tools[@]}"
echo "wasm: $(cd wasm/artifact && stat -c '%n %s bytes' relaxed.wasm simd.wasm scalar.wasm | paste -sd, | sed 's/,/, /g')"
