# shellcheck shell=bash
# shellcheck disable=SC2119,SC2154,SC2163
# Sourced by other scripts: installation of tools, and a throwaway server with people and apps in $scratch, which stop_server
# removes.

fail() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/tools"
target=$(cd "$target" && pwd)

# Installs packages of the distribution if possible without a prompt, without starting services: install_package NAME...
install_package() {
    local as_root=() policy=/usr/sbin/policy-rc.d made='' status=0
    command -v apt-get >/dev/null || fail "$* is needed: install it"
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || fail "$* is needed and may not be installed without a password; run: sudo apt-get install $*"
        as_root=(sudo -n)
    fi
    printf '%s: installing %s\n' "$0" "$*" >&2
    # An existing policy is not changed.
    if [ ! -e "$policy" ]; then
        made=1
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
        "${as_root[@]}" chmod 755 "$policy"
    fi
    {
        "${as_root[@]}" apt-get -qq update &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"
    } >&2 || status=1
    [ -z "$made" ] || "${as_root[@]}" rm -f "$policy"
    [ "$status" -eq 0 ] || fail "the packages could not be installed; run: apt-get install $*"
}

# Installs the packages of a lock file, copies the scripts beside it, and sets $node_tools to their folder:
# install_node_tools FOLDER
install_node_tools() {
    command -v npm >/dev/null || install_package nodejs npm
    [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || fail "Node.js 20 or later is needed, this is $(node --version)"
    node_tools=$target/tools/$(basename "$(dirname "$1")")-$(basename "$1")-$(cksum <"$1/package-lock.json" | cut -d' ' -f1)
    if [ ! -f "$node_tools/installed" ]; then
        rm -rf "$node_tools"
        mkdir -p "$node_tools"
        cp "$1/package.json" "$1/package-lock.json" "$1/.npmrc" "$node_tools"
        (cd "$node_tools" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) || fail "npm ci failed for $1"
        touch "$node_tools/installed"
    fi
    rm -f "$node_tools"/*.mjs
    find "$1" -maxdepth 1 -name '*.mjs' -exec cp {} "$node_tools" \;
}

# Creates a virtual environment with the packages of a requirements file and sets $python_tools to its path:
# install_python_tools FOLDER
install_python_tools() {
    command -v python3 >/dev/null || install_package python3 python3-venv
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_package python3-venv
    python_tools=$target/tools/$(basename "$(dirname "$1")")-$(basename "$1")-$(cksum <"$1/requirements.txt" | cut -d' ' -f1)
    if [ ! -f "$python_tools/installed" ]; then
        rm -rf "$python_tools"
        python3 -m venv "$python_tools" || fail "python3 cannot make virtual environments"
        "$python_tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$1/requirements.txt" >&2 ||
            fail "pip cannot install $1/requirements.txt"
        touch "$python_tools/installed"
    fi
}

# Builds the program, unless RESTWELL_BIN names one.
build_server() {
    if [ -z "${RESTWELL_BIN-}" ]; then
        cargo build --quiet -p server
        RESTWELL_BIN=$target/debug/restwell
    fi
    [ -x "$RESTWELL_BIN" ] || fail "$RESTWELL_BIN is no program"
}

# Starts a server on an embedded store and a free loopback port, and sets BASE_URL: start_server [SETTING=VALUE]...
start_server() {
    local name
    # The shell's settings do not apply.
    for name in $(compgen -e RESTWELL_ | grep -v '^RESTWELL_BIN$'); do unset "$name"; done
    export RESTWELL__STORAGE__DATA_DIR=$scratch/data RESTWELL__SERVER__LISTEN=127.0.0.1:0 "$@"
    "$RESTWELL_BIN" migrate 2>>"$scratch/server.log"
    "$RESTWELL_BIN" serve >>"$scratch/server.log" 2>&1 &
    server=$!
    for _ in $(seq 300); do
        BASE_URL=$(sed -n 's/.* listening .*public_url=\([^ ]*\).*/\1/p' "$scratch/server.log")
        [ -z "$BASE_URL" ] || break
        kill -0 "$server" 2>/dev/null || fail "the server did not start"
        sleep 0.1
    done
    [ -n "$BASE_URL" ] || fail "the server did not start in 30 seconds"
    export BASE_URL
}

# Creates a person who can sign in, and sets EMAIL and PASSWORD.
create_person() {
    # Above the minimum length, and not only ASCII.
    export EMAIL=sam@example.org PASSWORD='vier graue Gänse schlafen im Gras'
    printf '%s\n' "$PASSWORD" |
        "$RESTWELL_BIN" user create --email "$EMAIL" --timezone Europe/Berlin --password-stdin >/dev/null 2>>"$scratch/server.log" ||
        fail "the person could not be created"
}

# Registers an app with all scopes, and sets CLIENT_ID and CLIENT_SECRET, which is empty for a public app:
# create_client NAME REDIRECT_URI [--public]
create_client() {
    local made
    made=$("$RESTWELL_BIN" client create --name "$1" --redirect-uri "$2" "${@:3}" \
        --scope profile --scope sleep --scope supplements --json 2>>"$scratch/server.log") || fail "the app $1 could not be created"
    CLIENT_ID=$(member client_id <<<"$made")
    CLIENT_SECRET=$(member client_secret <<<"$made")
    export CLIENT_ID CLIENT_SECRET
}

# Prints a text member of a flat JSON object: member NAME
member() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

# Stops the server, prints the end of its log after a failure, and removes the folder. For `trap ... EXIT`.
stop_server() {
    local status=$?
    [ -z "${server-}" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; } || true
    [ "$status" -eq 0 ] || [ ! -s "$scratch/server.log" ] || { echo "--- last lines of the server's log:"; tail -20 "$scratch/server.log"; } >&2
    rm -rf "$scratch"
    exit "$status"
}
