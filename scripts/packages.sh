# shellcheck shell=bash
# Sourced by other scripts, without side effects: installation of packages of the distribution.

fail() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

# Runs a command as root, without a prompt: as_root COMMAND...
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Installs packages of the distribution if possible without a prompt, without starting services: install_package NAME...
install_package() {
    local policy=/usr/sbin/policy-rc.d no_cluster=/etc/postgresql-common/createcluster.d/restwell-tests.conf
    local created=() status=0
    command -v apt-get >/dev/null || fail "$* is needed: install it"
    as_root true 2>/dev/null || fail "$* is needed, and installing it requires a password; run: sudo apt-get install $*"
    printf '%s: installing %s\n' "$0" "$*" >&2
    # Leave an existing policy unchanged.
    if [ ! -e "$policy" ]; then
        created+=("$policy")
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    # PostgreSQL would create a cluster despite the policy.
    if [[ " $* " == *" postgresql "* ]]; then
        created+=("$no_cluster")
        as_root mkdir -p "$(dirname "$no_cluster")"
        printf 'create_main_cluster = false\n' | as_root tee "$no_cluster" >/dev/null
    fi
    {
        as_root apt-get -qq update &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"
    } >&2 || status=1
    [ ${#created[@]} -eq 0 ] || as_root rm -f "${created[@]}"
    [ "$status" -eq 0 ] || fail "the packages could not be installed; run: apt-get install $*"
}
