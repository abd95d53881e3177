#!/bin/sh
# Makes the secrets of the compose files in the folder `secrets` next to this file, each readable only by the user
# of the container that reads it. What is there already is kept. Needs root, because it gives files away:
#
#   sudo sh .deploy/compose/make-secrets.sh         (rootless podman: podman unshare sh ...)
set -eu
cd "$(dirname "$0")"
umask 077

# User ids in the images. The entry point of postgres reads its file as root.
proofgate=10001 prometheus=65534 grafana=472 haproxy=99

random_hex() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
random_base64() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }

# put NAME OWNER TEXT: writes one secret, complete or not at all.
put() {
  [ -e "secrets/$1" ] && return 0
  printf '%s\n' "$3" >"secrets/.$1"
  chown "$2:$2" "secrets/.$1"
  chmod 0400 "secrets/.$1"
  mv "secrets/.$1" "secrets/$1"
  echo "made secrets/$1"
}

mkdir -p secrets
chmod 0711 secrets
put master-key $proofgate "$(random_base64)"
put admin-token $proofgate "$(random_hex 32)"
put metrics-token $proofgate "$(random_hex 32)"
put signing-seed $proofgate "$(random_hex 32)"
put postgres-password 0 "$(random_hex 24)"
put grafana-password $grafana "$(random_hex 16)"
put relying-party-secret $proofgate "sk_$(random_hex 24)"
# Copies for other readers.
put storage-password $proofgate "$(cat secrets/postgres-password)"
put prometheus-token $prometheus "$(cat secrets/metrics-token)"

# For the balancer of the cluster: self-signed, to be replaced by the certificate and key of the real name.
if [ ! -e secrets/cert-and-key.pem ] && command -v openssl >/dev/null; then
  pair=$(openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout - -out - 2>/dev/null)
  put cert-and-key.pem $haproxy "$pair"
fi
