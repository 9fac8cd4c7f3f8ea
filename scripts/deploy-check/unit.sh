# shellcheck shell=bash
# Installs the systemd unit as its head says, and does what systemd would do with it: the user, the state directory, the
# credential, the two commands. Then runs commands by restwell-run, while the service runs and while it does not.
#
#   unit.sh BINARY SCRATCH_FOLDER
#
# It needs root, and a network and a mount namespace, in which it mounts folders of its own over those of the system.
set -euo pipefail

fail() { printf 'check-deploy: the unit: %s\n' "$*" >&2; exit 1; }

readonly UNIT=deploy/systemd/restwell.service SERVICE_CREDENTIALS=/run/credentials/restwell.service
binary=$(realpath "$1") folder=$2/unit
mkdir -p "$folder/source"
cp -a /etc "$folder/etc"
mount --bind "$folder/etc" /etc
for place in /run /var/lib /usr/local/bin /usr/local/sbin; do mount -t tmpfs -o mode=0755 tmpfs "$place"; done
mkdir -p /etc/systemd/system

setting() { sed -n "s/^$1=//p" "$UNIT"; }

# Copies a credential for the service's user: load_credential NAME:FILE FOLDER
load_credential() {
    rm -rf "$2"
    install -d -m 500 -o restwell "$2"
    install -m 400 -o restwell "${1#*:}" "$2/${1%%:*}"
}

# In a subshell, which becomes the command: signals reach it.
as_service() { exec env -i PATH="$PATH" "$(setting Environment)" setpriv --no-new-privs --reuid restwell --regid restwell --clear-groups sh -c "umask 077; exec $*"; }

# What systemd does for `systemctl start restwell`.
start() {
    install -d -m "$(setting StateDirectoryMode)" -o restwell "/var/lib/$(setting StateDirectory)"
    load_credential "$(setting LoadCredential)" "$SERVICE_CREDENTIALS"
    (as_service "$(setting ExecStartPre)" 2>>"$folder/log") || { cat "$folder/log"; fail "ExecStartPre failed"; }
    (as_service "$(setting ExecStart)" 2>>"$folder/log") &
    service=$!
    for _ in $(seq 300); do
        ! curl --silent --fail --output /dev/null http://127.0.0.1:8080/readyz || return 0
        kill -0 "$service" 2>/dev/null || { cat "$folder/log"; fail "the service ended"; }
        sleep 0.1
    done
    fail "the service is not ready"
}

stop() {
    # Without the time for load balancers to notice.
    kill -INT "$service"
    wait "$service" || fail "the service did not stop well"
    rm -rf "$SERVICE_CREDENTIALS"
}

# Stands in for the two programs of systemd.
systemctl() { [ "$*" = daemon-reload ] || [ "$*" = "enable --now restwell" ] || fail "systemctl $*"; }
cat >/usr/local/bin/systemd-run <<'PROGRAM'
#!/bin/bash
set -euo pipefail
export CREDENTIALS_DIRECTORY=/run/credentials/transient.service
variables=(PATH="$PATH" CREDENTIALS_DIRECTORY="$CREDENTIALS_DIRECTORY")
while [[ $1 = --* ]]; do
    case $1 in
        --property=LoadCredential=*)
            credential=${1##*LoadCredential=}
            rm -rf "$CREDENTIALS_DIRECTORY"
            install -d -m 500 -o restwell "$CREDENTIALS_DIRECTORY"
            install -m 400 -o restwell "${credential#*:}" "$CREDENTIALS_DIRECTORY/${credential%%:*}" ;;
        --uid=*) user=${1#*=} ;;
        --gid=*) group=${1#*=} ;;
        --setenv=*) variables+=("${1#*=}") ;;
        --property=UMask=*) umask "${1##*=}" ;;
        --quiet | --pipe | --wait | --collect) ;;
        *) echo "systemd-run $1" >&2; exit 1 ;;
    esac
    shift
done
exec env -i "${variables[@]}" setpriv --no-new-privs --reuid "$user" --regid "$group" --clear-groups "$@"
PROGRAM
chmod 755 /usr/local/bin/systemd-run

cp deploy/systemd/* "$folder/source"
cp "$binary" "$folder/source/restwell"
key_setting=$(sed -n 's/^#   \(encryption_key_file = .*\)/\1/p' "$UNIT")
sed "s|^# encryption_key_file = .*|$key_setting|" deploy/restwell.example.toml >"$folder/source/restwell.toml"
grep -qFx "$key_setting" "$folder/source/restwell.toml" || fail "its head names no key file"
commands=$(sed -n '/^\[Unit\]/q; s/^#   //p' "$UNIT" | sed '/^\[keys\]/,$d')
cd "$folder/source"
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
eval "$commands"
cd "$OLDPWD"

start
restwell-run user create --email sam@example.org --timezone Europe/Berlin >/dev/null
stop
restwell-run user list | grep -q sam@example.org || fail "a command does not see the service's store"
# It needs the key.
restwell-run key rotate >/dev/null
start
stop
strays=$(find /var/lib/restwell ! -user restwell)
[ -z "$strays" ] || fail "files that the service cannot open: $strays"
# The documentation makes the file that the unit reads.
file=$(setting LoadCredential)
grep -q "restwell key generate > ${file#*:}\$" docs/operating.md || fail "docs/operating.md makes another key file than ${file#*:}"
printf 'the unit: installed as its head says, and commands run as its user\n'
