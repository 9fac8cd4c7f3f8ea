# Shortcuts for scripts/ and .ci/run. `just` lists them.

_default:
    @just --list --unsorted

# Runs the server with made-up data on http://127.0.0.1:8080
demo *arguments:
    cargo run -- demo {{arguments}}

# Runs every test, on SQLite and on PostgreSQL
test *arguments:
    scripts/test {{arguments}}

# Checks what a branch touches: format, lints, tests of the crates and of those that use them
check *arguments:
    scripts/check {{arguments}}

# Checks format, lints and the shape of the workspace
lint:
    cargo fmt --all --check
    cargo fmt --manifest-path crates/bench/Cargo.toml --check
    cargo run -q -p workspace-checks
    cargo clippy --workspace --all-targets -- -D warnings

# Formats every crate
format:
    cargo fmt --all
    cargo fmt --manifest-path crates/bench/Cargo.toml

# Regenerates the reference files
generate:
    scripts/generate

# Builds the documentation of the code
docs:
    cargo doc --workspace --no-deps

# Checks licences, bans, sources and advisories of every package
deny:
    bash .ci/packages

# Tests real OAuth client libraries against a server
clients *arguments:
    scripts/check-clients {{arguments}}

# Tests the pages in a browser, checks accessibility (--screenshots DIR: takes screenshots)
pages *arguments:
    scripts/check-pages {{arguments}}

# Runs docs/first-night.md and docs/connect-your-app.md block by block
guide *arguments:
    scripts/check-guide {{arguments}}

# Measures timing side channels, and how soon a revocation takes effect
security-timing *arguments:
    scripts/security-timing {{arguments}}

# Fuzzes every parser of untrusted input (default: 10 seconds each)
fuzz *arguments:
    scripts/fuzz {{arguments}}

# Measures imports into empty stores against their targets: 1 GB of XML, 20,000 sessions, 200,000 labels
bench-import *stores:
    cargo build --profile dist -p server
    scripts/bench-import target/dist/restwell {{stores}}

# Benchmarks a Citus cluster, alternating with a single PostgreSQL server; needs the extension
bench-citus *arguments:
    cargo build --profile dist -p server
    cargo build --profile dist --manifest-path crates/bench/Cargo.toml --target-dir target
    RESTWELL_BIN=target/dist/restwell BENCH_BIN=target/dist/bench scripts/bench-citus {{arguments}}

# Benchmarks the server against its references (--short: only checks that every case works)
bench *arguments:
    scripts/bench {{arguments}}

# Renders the committed results into docs/performance.md (--check: fails if the page is out of date)
bench-report *arguments:
    cargo run --quiet --manifest-path crates/bench/Cargo.toml --target-dir target -- report {{arguments}}

# Kills imports at random times, and checks that importing again gives the correct result
resume *stores:
    cargo build --release -p server
    scripts/check-resume target/release/restwell {{stores}}

# Injects faults under load behind HAProxy, and counts failed requests (--short: the most important ones)
chaos *arguments:
    scripts/chaos {{arguments}}

# Checks the files in deploy/ with the programs that read them
deploy:
    scripts/check-deploy

# Checks that migrations can run beside servers of the old version
migrations:
    scripts/check-migrations

# Builds a release in target/package (--try: a trial of the current tree)
release *arguments:
    scripts/release {{arguments}}

# Checks in a bare root file system that tests find every program
packages:
    scripts/check-packages

# Compares instruction counts of hot functions and requests with the committed ones (--check, --write)
instructions *arguments:
    scripts/instructions {{arguments}}

# Draws a flame graph of the server under the load of a case (--list)
profile *arguments:
    scripts/profile {{arguments}}

# Runs all checks of a change, as CI does
ci:
    CI=true bash .ci/run

# Runs what takes longer, as CI does at night
long:
    bash .ci/long

# Checks the files of a release in target/package
check-release *arguments:
    scripts/check-release target/package {{arguments}}

# Installs the package on a new machine that systemd boots, as deploy/install.md says
install *arguments:
    scripts/check-install {{arguments}}
