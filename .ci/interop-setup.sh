#!/usr/bin/env bash
# Installs what the other programs of test/interop and the guides of test/docs/guides need and the machine lacks.
# What cannot be installed, for example without a network, is printed; its tests are then skipped by name.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

has_python() {
  local program
  for program in python3 /usr/bin/python3; do
    "$program" -c 'import authlib.integrations.flask_client, requests' >/dev/null 2>&1 && return 0
  done
  return 1
}

has_ruby() {
  ruby -e "require 'openid_connect'; require 'webrick'" >/dev/null 2>&1
}

has_apache() {
  [ -x /usr/sbin/apache2 ] && [ -f /usr/lib/apache2/modules/mod_auth_openidc.so ]
}

has_go() {
  command -v go >/dev/null
}

fetch_go_modules() {
  has_go && (cd test/interop/support/go && go mod download) && (cd test/docs/guides/support/go && go mod download)
}

fetch_gnark() {
  has_go && (cd test/interop/support/gnark && GOTOOLCHAIN=local go mod download)
}

fetch_arkworks() {
  cargo fetch --quiet --locked --manifest-path test/interop/support/arkworks/Cargo.toml
}

# About 80 s of CPU time, 45 MB.
build_oauth2_proxy() {
  local folder=.cache/oauth2-proxy version=v7.15.6
  [ -x $folder/oauth2-proxy ] && [ "$(cat $folder/version 2>/dev/null)" = $version ] && return 0
  has_go && GOTOOLCHAIN=local GOBIN=$PWD/$folder go install "github.com/oauth2-proxy/oauth2-proxy/v7@$version" &&
    echo $version >$folder/version
}

# The packages that the guides name, in an environment of their own.
install_fastapi() {
  local folder=.cache/guides/python requirements=test/docs/guides/support/python/requirements.txt
  cmp -s $requirements $folder/installed.txt && return 0
  python3 -m venv $folder && $folder/bin/pip install -q --disable-pip-version-check -r $requirements &&
    cp $requirements $folder/installed.txt
}

# Packages of a lock file, in a folder of their own.
install_packages() {
  local from=$1 folder=$2
  cmp -s "$from/package-lock.json" "$folder/installed.json" && return 0
  mkdir -p "$folder" && cp "$from"/package*.json "$folder/" &&
    (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) &&
    cp "$from/package-lock.json" "$folder/installed.json"
}

# The guide's app is built in this folder.
install_next() {
  install_packages test/docs/guides/support/next .cache/guides/next
}

# The IDKit that still creates sessions in the older form, beside the one of the development packages.
install_idkit() {
  install_packages test/interop/support/idkit .cache/idkit
}

install_zokrates() {
  install_packages test/interop/support/zokrates .cache/zokrates
}

# Builds the guide's project once, which fetches its dependencies and plugins: tests run Maven offline.
fetch_spring() {
  local folder=.cache/guides/spring
  command -v java >/dev/null && command -v mvn >/dev/null || return 1
  # shellcheck disable=SC2016 # no expansion: fences of Markdown
  mkdir -p $folder/src/main/java && sed -n '/^```xml file=pom.xml/,/^```$/{/^```/!p}' src/docs/guides/sign-in.md >$folder/pom.xml
  cmp -s $folder/pom.xml $folder/fetched.xml && return 0
  echo 'class Main { public static void main(String[] args) {} }' >$folder/src/main/java/Main.java
  mvn -B -q -f $folder package && cp $folder/pom.xml $folder/fetched.xml
}

packages=()
has_python || packages+=(python3-authlib python3-flask python3-requests)
has_ruby || packages+=(ruby-openid-connect ruby-webrick)
# The server only: the package apache2 would also start a service.
has_apache || packages+=(apache2-bin libapache2-mod-auth-openidc)
has_go || packages+=(golang-go)
if [ ${#packages[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

has_python || echo 'missing: python3 with authlib, flask and requests'
has_ruby || echo 'missing: ruby with openid_connect and webrick'
has_apache || echo 'missing: Apache with mod_auth_openidc'
fetch_go_modules || echo 'missing: Go with the modules go-oidc and x/crypto'
fetch_gnark || echo 'missing: Go 1.25.7 or newer with the module gnark'
fetch_arkworks || echo 'missing: cargo with the crates of arkworks'
build_oauth2_proxy || echo 'missing: oauth2-proxy, or a Go that can build it'
install_fastapi || echo 'missing: python3 with venv and FastAPI'
install_next || echo 'missing: next and next-auth'
install_idkit || echo 'missing: @worldcoin/idkit-core 4.2.4'
install_zokrates || echo 'missing: zokrates-js'
fetch_spring || echo 'missing: java and mvn with Spring Boot'
exit 0
