#!/bin/sh
# run-confined.sh ROOT VOLUME SECRETS COMMAND...
#
# Runs a command in a file tree as a container engine does: the tree is the root, read-only, except for the volume; the command is
# process 1 of user 10001, without capabilities. For `unshare --mount --pid --fork`, as root.
set -eu
root=$1 volume=$2 secrets=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
for folder in $SHARED; do
  mount --bind "$folder" "$root$folder"
  mount -o remount,bind,ro "$root$folder"
done
mount --bind "$volume" "$root/var/lib/proofgate"
mount --bind "$secrets" "$root/run/secrets"
mount -o remount,bind,ro "$root/run/secrets"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot "$root" setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  env --chdir=/var/lib/proofgate "$@"
