#!/usr/bin/env bash
# Builds wasm/artifact from native/core and wasm, and writes its record: three modules from one source, which
# differ in the WebAssembly features that they need, and one JavaScript file for all of them.
#
#   build-wasm.sh               builds
#   build-wasm.sh --if-needed   builds only if the record and the sources differ
#   build-wasm.sh --check       builds in another folder and compares with the record; skipped by name if a tool is missing or
#                         of another version, which fails with CI=true
#
# Needs wasm-pack (installed by cargo: the npm package of that name downloads a program), wasm-bindgen
# 0.2.129, wasm-ld, and a Rust with either the compiled standard library for wasm32-unknown-unknown or its
# sources, from which it is then built. On Debian:
#
#   apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src lld
#   cargo install wasm-pack --locked
#   cargo install wasm-bindgen-cli --version 0.2.129 --locked
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=${1:-}
artifact=wasm
target=wasm32-unknown-unknown
std_crates=std,panic_abort
workspace=wasm/target/workspace

# npm puts node_modules/.bin first; a wasm-pack there is the downloader, not the tool.
PATH=$(tr ':' '\n' <<<"$PATH" | grep -v node_modules | paste -sd:)

source .scripts/cross-rust.sh

for tool in wasm-pack wasm-bindgen; do
  command -v "$tool" >/dev/null || lack "$tool is not installed"
done

if [ -n "$build_std" ]; then
  # wasm-pack only checks that this folder exists
  [ -d "$sysroot/lib/rustlib/$target/lib" ] || mkdir -p "$sysroot/lib/rustlib/$target/lib"
fi
if command -v wasm-ld >/dev/null; then
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
fi

# Cargo names a crate by its path relative to the workspace, and by its absolute path where that is outside of the
# workspace; names decide the order of functions. So the core is linked into a workspace made for the build, and the
# modules are the same bytes wherever the checkout is.
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
sources=$(record sources)
rm -rf "$out"

# Dependencies are compiled for each module separately, since their features differ too.
for name in scalar simd relaxed; do
  CARGO_ENCODED_RUSTFLAGS="$rust_flags${features[$name]:+$separator-Ctarget-feature=${features[$name]}}" \
    CARGO_TARGET_DIR="$root/wasm/target/$name" \
    wasm-pack build "$root/$workspace" --mode no-install --target web --no-gitignore --no-pack --release \
    --out-dir "$out/$name" --out-name proofgate_wasm -- --locked
  mv "$out/$name/proofgate_wasm_bg.wasm" "$out/$name.wasm"
  refuse_paths "$out/$name.wasm"
  for glue in proofgate_wasm.js proofgate_wasm.d.ts; do
    if ! cmp -s "$out/scalar/$glue" "$out/$name/$glue"; then
      echo "wasm: $glue of the $name module differs from that of the scalar one; they share one" >&2
      exit 1
    fi
  done
done

expect_sources "$sources"
cp "$out"/scalar/proofgate_wasm.{js,d.ts} "$out"/
node .scripts/wasm-glue.mjs "$out"
tools=(
  "rustc=$(rustc --version)"
  "std=$std_tool"
  "wasm-pack=$(wasm-pack --version)"
  "wasm-bindgen=$(wasm-bindgen --version)"
  "linker=$(wasm-ld --version 2>/dev/null || echo 'of the Rust distribution')"
)
if [ "$mode" = "--check" ]; then
  record compare "$out" "${tools[@]}"
  exit
fi
mkdir -p wasm/artifact
cp "$out"/proofgate_wasm.{js,d.ts} "$out"/{relaxed,simd,scalar}.wasm wasm/artifact/
record write "${tools[@]}"
echo "wasm: $(cd wasm/artifact && stat -c '%n %s bytes' relaxed.wasm simd.wasm scalar.wasm | paste -sd, | sed 's/,/, /g')"
