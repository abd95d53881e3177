#!/usr/bin/env bash
# Builds native/prebuilt from native/core and native/addon, and writes its record: the addon for Linux on ARM64, which
# machines without Rust load.
#
#   build-arm64.sh               builds
#   build-arm64.sh --if-needed   builds only if the record and the sources differ
#   build-arm64.sh --check       builds in another folder and compares with the record; skipped by name if a tool is missing or
#                         of another version, which fails with CI=true
#
# Needs a linker and the C library for the target, and a Rust with either the compiled standard library for
# aarch64-unknown-linux-gnu or its sources, from which it is then built. On Debian:
#
#   apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src gcc-aarch64-linux-gnu libc6-dev-arm64-cross
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=${1:-}
artifact=arm64
target=aarch64-unknown-linux-gnu
std_crates=std,panic_unwind
workspace=native
source .scripts/cross-rust.sh
linker=aarch64-linux-gnu-gcc
strip=aarch64-linux-gnu-strip
for tool in "$linker" "$strip"; do
  command -v "$tool" >/dev/null || lack "$tool is not installed"
done

name=proofgate.linux-arm64-gnu.node
export CARGO_TARGET_DIR=$root/native/target/arm64
out=$CARGO_TARGET_DIR/artifact
sources=$(record sources)
(cd native && CARGO_INCREMENTAL=0 CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$linker CARGO_ENCODED_RUSTFLAGS=$rust_flags \
  cargo build --release --locked --package proofgate-addon --target "$target")
expect_sources "$sources"
mkdir -p "$out"
"$strip" --strip-unneeded -o "$out/$name" "$CARGO_TARGET_DIR/$target/release/libproofgate_addon.so"
refuse_paths "$out/$name"
tools=(
  "rustc=$(rustc --version)"
  "std=$std_tool"
  "linker=$("$linker" --version | head -1), $(aarch64-linux-gnu-ld --version | head -1)"
)
if [ "$mode" = "--check" ]; then
  record compare "$out" "${tools[@]}"
  exit
fi
mkdir -p native/prebuilt
cp "$out/$name" native/prebuilt/
record write "${tools[@]}"
glibc=$(aarch64-linux-gnu-objdump -T "native/prebuilt/$name" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
echo "arm64: $name $(stat -c %s "native/prebuilt/$name") bytes, needs $glibc"
