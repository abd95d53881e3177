#!/bin/sh
# Deploy hook of certbot, for a service that ends TLS itself: copies the renewed pair to where the service may read it, which
# then uses it for new connections. Install as /usr/local/sbin/proofgate-renewed with mode 0755, and name it for this
# certificate alone: certbot reconfigure --cert-name id.example.org --deploy-hook /usr/local/sbin/proofgate-renewed
# In /etc/letsencrypt/renewal-hooks it would run for every certificate of the machine, and install the last one.
set -eu
target=${TARGET:-/etc/ssl/proofgate}
owner=${OWNER:-proofgate}
# Beside the former files, then over them: the service never sees half a file.
install -o "$owner" -g "$owner" -m 0600 "$RENEWED_LINEAGE/privkey.pem" "$target/key.pem.new"
install -o "$owner" -g "$owner" -m 0644 "$RENEWED_LINEAGE/fullchain.pem" "$target/cert.pem.new"
mv "$target/key.pem.new" "$target/key.pem"
mv "$target/cert.pem.new" "$target/cert.pem"
systemctl reload proofgate
