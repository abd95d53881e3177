#!/usr/bin/env bash
# Installs what the relying parties of test/interop and the guides of test/docs/guides need and the machine lacks.
# What cannot be installed, for example without a network, is printed; its tests are then skipped by name.
set -uo pipefail
cd "$(dirname "$0")/.."

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

# The packages that the guides name, in an environment of their own.
install_fastapi() {
  local folder=.cache/guides/python requirements=test/docs/guides/support/python/requirements.txt
  cmp -s $requirements $folder/installed.txt && return 0
  python3 -m venv $folder && $folder/bin/pip install -q --disable-pip-version-check -r $requirements &&
    cp $requirements $folder/installed.txt
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
install_fastapi || echo 'missing: python3 with venv and FastAPI'
exit 0
