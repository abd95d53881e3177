#!/bin/sh
# Deploy hook of certbot, for a service that ends TLS itself: copies the renewed pair to where the service may read it, which
# then uses it for new connections. Install as /etc/letsencrypt/renewal-hooks/deploy/proofgate with mode 0755.
set -eu
target=${TARGET:-/etc/ssl/proofgate}
owner=${OWNER:-proofgate}
# Beside the former files, then over them: the service never sees half a file.
install -o "$owner" -g "$owner" -m 0600 "$RENEWED_LINEAGE/privkey.pem" "$target/key.pem.new"
install -o "$owner" -g "$owner" -m 0644 "$RENEWED_LINEAGE/fullchain.pem" "$target/cert.pem.new"
mv "$target/key.pem.new" "$target/key.pem"
mv "$target/cert.pem.new" "$target/cert.pem"
systemctl reload proofgate
