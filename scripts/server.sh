# shellcheck shell=bash
# shellcheck disable=SC2119,SC2154,SC2163
# Sourced by other scripts: installation of tools, and throwaway servers with people and apps in the folder $scratch.

# shellcheck source=scripts/functions.sh
. scripts/functions.sh

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/tools"
target=$(cd "$target" && pwd)
# Loopback requests bypass the shell's proxies.
export NO_PROXY=${NO_PROXY:+$NO_PROXY,}127.0.0.1,localhost no_proxy=${no_proxy:+$no_proxy,}127.0.0.1,localhost

# Installs the packages of a lock file, copies the scripts beside it, and sets $node_tools to their folder:
# install_node_tools FOLDER
install_node_tools() {
    scripts/packages node npm
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

# Creates the virtual environment of all scripts, with the packages of every requirements file, and sets $python_tools to its
# path. One for all, because an environment takes longer to create than most packages to install.
install_python_tools() {
    local files
    mapfile -t files < <(find scripts clients -name requirements.txt | sort)
    python_tools=$target/tools/python-$(cat "${files[@]}" | cksum | cut -d' ' -f1)
    scripts/packages python3 python3-venv
    if [ ! -f "$python_tools/installed" ]; then
        python3 -m venv --clear "$python_tools" || fail "python3 cannot create virtual environments"
        "$python_tools/bin/pip" install --quiet --disable-pip-version-check --no-compile --require-hashes \
            "${files[@]/#/--requirement=}" >&2 || fail "pip cannot install ${files[*]}"
        touch "$python_tools/installed"
    fi
}

# Builds the program with a profile of cargo, unless RESTWELL_BIN names one: build_server [PROFILE]
build_server() {
    local profile=${1:-dev}
    if [ -z "${RESTWELL_BIN-}" ]; then
        cargo build --quiet --profile "$profile" -p server
        RESTWELL_BIN=$target/${profile/#dev/debug}/restwell
    fi
    [ -x "$RESTWELL_BIN" ] || fail "$RESTWELL_BIN is not an executable file"
}

# Creates the folder $scratch, which is removed at the end, sets $images to buildah with a store in it, and unsets the settings
# of the shell: begin_scratch [PARENT]
begin_scratch() {
    local parent=/tmp
    # The users that run PostgreSQL and the proxies may not be able to enter root's TMPDIR.
    [ "$(id -u)" -eq 0 ] || parent=${TMPDIR:-/tmp}
    scratch=$(mktemp -d "${1:-$parent}/restwell.XXXXXX")
    chmod 711 "$scratch"
    images=(buildah --root "$scratch/images" --runroot "$scratch/images-run" --storage-driver vfs)
    trap end_scratch EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    # shellcheck disable=SC2046 # several names
    unset RESTWELL_CONFIG $(compgen -e RESTWELL__)
}

# Stops all tasks and servers, including those in $scratch/redis and $scratch/cluster*, prints the end of the logs after a
# failure, and removes the folder: end_scratch [STATUS]
end_scratch() {
    local status=${1:-$?} process cluster
    set +e
    trap '' INT TERM
    # A task is a process group.
    for process in $(jobs -rp); do kill -- "-$process" "$process" 2>/dev/null; done
    wait 2>/dev/null
    [ ! -d "$scratch/redis" ] || scripts/redis-server stop "$scratch/redis" || status=1
    for cluster in "$scratch"/cluster*; do
        [ ! -d "$cluster/data" ] || scripts/postgres-cluster stop "$cluster" || status=1
    done
    [ "$status" -eq 0 ] || tail -n 20 "$scratch"/*.log >&2 2>/dev/null
    rm -rf "$scratch" 2>/dev/null || as_root rm -rf "$scratch"
    exit "$status"
}

tasks=() processes=()

# Runs a command in the background, in a separate process group, as soon as fewer than $max_jobs are running: task NAME COMMAND...
task() {
    while [ "$(jobs -rp | wc -l)" -ge "${max_jobs:-100}" ]; do sleep 0.2; done
    set -m
    "${@:2}" >"$scratch/task-${#tasks[@]}" 2>&1 </dev/null &
    set +m
    tasks+=("$1")
    processes+=($!)
}

# Waits for all tasks, prints their output, that of failed ones last, and fails if one failed.
join_tasks() {
    local number ended=() failed=()
    for number in "${!tasks[@]}"; do
        if wait "${processes[number]}"; then ended+=("$number"); else failed+=("$number"); fi
    done
    for number in "${ended[@]}" "${failed[@]}"; do
        printf '\n--- %s\n' "${tasks[number]}"
        cat "$scratch/task-$number"
    done
    [ ${#failed[@]} -eq 0 ] || fail "failed: $(for number in "${failed[@]}"; do printf '%s; ' "${tasks[number]}"; done)"
    tasks=() processes=()
}

# Waits until a command succeeds; fails if the background server exits: await_server COMMAND...
await_server() {
    for _ in $(seq 300); do
        ! "$@" 2>/dev/null || return 0
        kill -0 "$server" 2>/dev/null || fail "the server did not start"
        sleep 0.1
    done
    fail "the server did not start in 30 seconds"
}

# Starts a server on an embedded store and a free loopback port, and sets BASE_URL: start_server [SETTING=VALUE]...
start_server() {
    export RESTWELL__STORAGE__DATA_DIR=$scratch/data RESTWELL__SERVER__LISTEN=127.0.0.1:0 RESTWELL__SERVER__DRAIN_SECONDS=0 "$@"
    "$RESTWELL_BIN" migrate 2>>"$scratch/server.log"
    serve
}

# Starts a server with the settings of the environment, under a program if named, and sets BASE_URL: serve [PROGRAM...]
serve() {
    "$@" "$RESTWELL_BIN" serve >>"$scratch/server.log" 2>&1 &
    server=$!
    await_server grep -q ' listening .*public_url=' "$scratch/server.log"
    BASE_URL=$(sed -n 's/.* listening .*public_url=\([^ ]*\).*/\1/p' "$scratch/server.log")
    export BASE_URL
}

# Starts a demo on a free loopback port, and sets BASE_URL and the person's EMAIL and PASSWORD: start_demo [OPTION]...
start_demo() {
    export RESTWELL__STORAGE__DATA_DIR=$scratch/demo RESTWELL__SERVER__DRAIN_SECONDS=0
    "$RESTWELL_BIN" demo --listen 127.0.0.1:0 --data-dir "$scratch/demo" --json "$@" >"$scratch/demo.json" 2>>"$scratch/demo.log" &
    server=$!
    await_server test -s "$scratch/demo.json"
    BASE_URL=$(member base_url <"$scratch/demo.json")
    EMAIL=$(member email <"$scratch/demo.json")
    PASSWORD=$(member password <"$scratch/demo.json")
    export BASE_URL EMAIL PASSWORD
}

# Creates a person who can sign in, and sets EMAIL and PASSWORD.
create_person() {
    # Longer than the minimum, and not plain ASCII.
    export EMAIL=sam@example.org PASSWORD='vier graue Gänse schlafen im Gras'
    printf '%s\n' "$PASSWORD" |
        "$RESTWELL_BIN" user create --email "$EMAIL" --timezone Europe/Berlin --password-stdin >/dev/null 2>>"$scratch/server.log" ||
        fail "the person could not be created"
}

# Registers an app with all scopes, and sets CLIENT_ID and CLIENT_SECRET (empty for a public app):
# create_client NAME REDIRECT_URI [--public]
create_client() {
    local created
    created=$("$RESTWELL_BIN" client create --name "$1" --redirect-uri "$2" "${@:3}" \
        --scope profile --scope sleep --scope supplements --json 2>>"$scratch/server.log") || fail "the app $1 could not be created"
    CLIENT_ID=$(member client_id <<<"$created")
    CLIENT_SECRET=$(member client_secret <<<"$created")
    export CLIENT_ID CLIENT_SECRET
}

# Creates a person with the records of a file and an app that may read them, and sets USER_ID and CODE, which redeem_code
# redeems: create_reader FILE
create_reader() {
    create_person
    USER_ID=$("$RESTWELL_BIN" user list --json 2>>"$scratch/server.log" | member user_id)
    create_client reader "http://127.0.0.1:9/callback"
    "$RESTWELL_BIN" import --user "$USER_ID" "$1" >/dev/null 2>>"$scratch/server.log"
    CODE=$("$RESTWELL_BIN" code create --client "$CLIENT_ID" --user "$USER_ID" --redirect-uri "http://127.0.0.1:9/callback" \
        --scope profile --scope sleep --scope supplements --json 2>>"$scratch/server.log" | member code)
}

# Redeems the code of create_reader, and sets TOKEN to the access token.
redeem_code() {
    TOKEN=$(curl --silent --fail "$BASE_URL/api/token" --data-urlencode "client_id=$CLIENT_ID" \
        --data-urlencode "client_secret=$CLIENT_SECRET" --data-urlencode "redirect_uri=http://127.0.0.1:9/callback" \
        --data-urlencode "code=$CODE" --data grant_type=authorization_code | member access_token)
    [ -n "$TOKEN" ] || fail "no token was issued"
}

# Prints a text member of a flat JSON object: member NAME
member() { sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }

# Prints nights of 40 stages as NDJSON, always the same ones: print_nights NUMBER
print_nights() {
    python3 - "$1" <<'NIGHTS'
import datetime, sys
names = ("AWAKE", "LIGHT", "DEEP", "REM")
for night in range(int(sys.argv[1])):
    start = datetime.datetime(1995, 1, 1, 22) + datetime.timedelta(days=night)
    at = [(start + datetime.timedelta(minutes=12 * step)).isoformat() + "+01:00" for step in range(41)]
    stages = ",".join(
        f'{{"stage":"{names[(step + night) % 4]}","start":"{at[step]}","end":"{at[step + 1]}"}}' for step in range(40)
    )
    print(
        f'{{"type":"sleep_session","external_id":"night-{night}","source":"ring","is_nap":false,'
        f'"time_in_bed_start":"{at[0]}","time_in_bed_end":"{at[-1]}","raw_sleep":[{stages}]}}'
    )
NIGHTS
}

# Prints a night as a line of NDJSON: print_night DAYS_AGO
print_night() {
    local evening morning
    evening=$(date -d "$(($1 + 1)) days ago" +%F) morning=$(date -d "$1 days ago" +%F)
    printf '{"type":"sleep_session","source":"ring","time_in_bed_start":"%sT22:50:00+01:00","time_in_bed_end":"%sT06:30:00+01:00",' \
        "$evening" "$morning"
    printf '"raw_sleep":[{"stage":"LIGHT","start":"%sT23:00:00+01:00","end":"%sT06:20:00+01:00"}]}\n' "$evening" "$morning"
}

# A script that defines one of these functions again fails there; it would call itself.
# shellcheck disable=SC2046 # several names
readonly -f $(compgen -A function)
