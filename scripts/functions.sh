# shellcheck shell=bash
# Sourced by other scripts, without side effects.

fail() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

# Runs a command as root, without a prompt: as_root COMMAND...
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Prints the version of the workspace.
workspace_version() { sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml; }

# Debian's name of each architecture that a release has.
declare -Ar DEBIAN=([x86_64]=amd64 [aarch64]=arm64)

# Prints the files of the documentation and of deploy/ that belong to a release, one a line.
documents() {
    git ls-files -- '*.md' deploy docs LICENSE\* | grep -vE '^(crates|scripts|\.github|deploy/debian|docs/images)/|^docs/performance.json$'
}

# Fails if a program is missing: require PART PROGRAM..., where PART is an argument of scripts/packages.
require() {
    local program
    for program in "${@:2}"; do
        PATH=$PATH:/usr/sbin:/usr/local/sbin command -v "$program" >/dev/null || fail "$program is missing; run: scripts/packages $1"
    done
}

# Prints block NUMBER of shell commands under a heading of a page: commands_of FILE HEADING NUMBER
commands_of() {
    awk -v heading="## $2" -v number="$3" '
        /^## / { is_section = $0 == heading }
        is_section && /^```sh$/ { is_block = ++count == number; next }
        /^```$/ { is_block = 0 }
        is_block' "$1" | grep . || fail "$1 has no block $3 under: $2"
}
