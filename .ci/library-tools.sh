#!/usr/bin/env bash
# Installs what the tests of the library run on and with: Deno, Bun, workerd, webpack, publint and attw. The tests of
# what cannot be installed, for example without a network, are skipped by name.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
source=test/library/support/tools
target=.cache/library-tools

[ "$(uname -sm)" = 'Linux x86_64' ] || { echo 'skipped: the tools of the library are for Linux on x64'; exit 0; }
cmp -s $source/package-lock.json $target/installed.json && exit 0
# No package here needs a script of its own at its installation.
mkdir -p $target && cp $source/package*.json $target/ &&
  (cd $target && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) &&
  cp $source/package-lock.json $target/installed.json ||
  echo 'skipped: the tools of the library could not be installed'
