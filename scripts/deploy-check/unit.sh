# shellcheck shell=bash
# Installs the systemd unit by the instructions at its top, and starts it as systemd would: user, state directory, credential
# and both commands. Then runs commands with restwell-run, while the service is running and stopped.
#
#   unit.sh BINARY SCRATCH_FOLDER
#
# Needs root, and a network and a mount namespace, in which it mounts its folders over those of the system.
set -euo pipefail

fail() { printf 'check-deploy: the unit: %s\n' "$*" >&2; exit 1; }

readonly UNIT=deploy/systemd/restwell.service SERVICE_CREDENTIALS=/run/credentials/restwell.service
binary=$(realpath "$1") folder=$2/unit
mkdir -p "$folder/source"
cp -a /etc "$folder/etc"
mount --bind "$folder/etc" /etc
for path in /run /var/lib /usr/local/bin /usr/local/sbin; do mount -t tmpfs -o mode=0755 tmpfs "$path"; done
mkdir -p /etc/systemd/system

setting() { sed -n "s/^$1=//p" "$UNIT"; }

# Copies a credential for the service's user: load_credential NAME:FILE FOLDER
load_credential() {
    rm -rf "$2"
    install -d -m 500 -o restwell "$2"
    install -m 400 -o restwell "${1#*:}" "$2/${1%%:*}"
}

# The subshell execs the command, so that signals reach it.
as_service() { exec env -i PATH="$PATH" "$(setting Environment)" setpriv --no-new-privs --reuid restwell --regid restwell --clear-groups sh -c "umask 077; exec $*"; }

# Does what systemd does for `systemctl start restwell`.
start() {
    install -d -m "$(setting StateDirectoryMode)" -o restwell "/var/lib/$(setting StateDirectory)"
    load_credential "$(setting LoadCredential)" "$SERVICE_CREDENTIALS"
    (as_service "$(setting ExecStartPre)" 2>>"$folder/log") || { cat "$folder/log"; fail "ExecStartPre failed"; }
    (as_service "$(setting ExecStart)" 2>>"$folder/log") &
    service=$!
    for _ in $(seq 300); do
        ! curl --silent --fail --output /dev/null http://127.0.0.1:8080/readyz || return 0
        kill -0 "$service" 2>/dev/null || { cat "$folder/log"; fail "the service exited"; }
        sleep 0.1
    done
    fail "the service is not ready"
}

stop() {
    # SIGINT skips the delay for load balancers.
    kill -INT "$service"
    wait "$service" || fail "the service did not exit cleanly"
    rm -rf "$SERVICE_CREDENTIALS"
}

# Replaces the two programs of systemd.
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
grep -qFx "$key_setting" "$folder/source/restwell.toml" || fail "the instructions do not set the key file"
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
[ -z "$strays" ] || fail "the service cannot open these files: $strays"
# The documentation creates the key file that the unit reads.
file=$(setting LoadCredential)
grep -q "restwell key generate > ${file#*:}\$" docs/operating.md || fail "docs/operating.md creates a key file other than ${file#*:}"
printf 'the unit: installed by its instructions; commands run as its user\n'
