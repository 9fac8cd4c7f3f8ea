# Shorthands; what they do stands in scripts/ and .ci/run. `just` lists them.

_default:
    @just --list --unsorted

# Runs the server with made-up data on http://127.0.0.1:8080
demo *arguments:
    cargo run --release -- demo {{arguments}}

# Runs every test, on SQLite and on PostgreSQL
test *arguments:
    scripts/test {{arguments}}

# Checks format, lints and the shape of the workspace
lint:
    cargo fmt --all --check
    cargo run -q -p workspace-checks
    cargo clippy --workspace --all-targets -- -D warnings

# Formats every crate
format:
    cargo fmt --all

# Writes the generated reference files again
generate:
    scripts/generate

# Builds the documentation of the code
docs:
    cargo doc --workspace --no-deps

# Checks licences, bans, sources and advisories of every package (needs cargo-deny)
deny:
    cargo deny check

# Runs real client libraries through the whole flow
clients *arguments:
    scripts/check-clients {{arguments}}

# Drives a browser through the pages, checks accessibility, takes pictures
pages *arguments:
    scripts/check-pages {{arguments}}

# Follows docs/first-night.md and docs/connect-your-app.md block by block
guide *arguments:
    scripts/check-guide {{arguments}}

# Measures what the clock could tell a stranger, and how soon a revocation counts
security-timing *arguments:
    scripts/security-timing {{arguments}}

# Fuzzes every parser of what strangers send, 10 seconds each (or as many as given)
fuzz *arguments:
    scripts/fuzz {{arguments}}

# Measures imports against their targets: 1 GB of XML, 20,000 sessions, 200,000 labels, into a store each that is empty
bench-import *stores:
    cargo build --profile dist -p server
    scripts/bench-import target/dist/restwell {{stores}}

# Benchmarks on a Citus cluster, in turns with one PostgreSQL server; needs the extension.
bench-citus *arguments:
    cargo build --profile dist -p server -p bench
    RESTWELL_BIN=target/dist/restwell BENCH_BIN=target/dist/bench scripts/bench-citus {{arguments}}

# Measures the server beside its references (--short: whether every case works, without a judgement of times)
bench *arguments:
    scripts/bench {{arguments}}

# Renders the committed figures into docs/performance.md (--check: says whether the page is out of date)
bench-report *arguments:
    cargo run --quiet -p bench -- report {{arguments}}

# Kills imports at random moments, and checks that the next one ends as if nothing had happened
resume *stores:
    cargo build --release -p server
    scripts/check-resume target/release/restwell {{stores}}

# Breaks things under load behind HAProxy, and counts what it costs (--short: the five faults that matter most)
chaos *arguments:
    scripts/chaos {{arguments}}

# Checks the files under deploy/ with the tools that know them
deploy:
    scripts/check-deploy

# Checks that migrations can run beside servers of the old version
migrations:
    scripts/check-migrations

# Makes the static program, its bill of materials, the notes and the checksums under target/package
release *arguments:
    scripts/release {{arguments}}

# Counts the instructions of the hot pure pieces beside the committed counts (--check, --write)
instructions *arguments:
    scripts/instructions {{arguments}}

# Draws a flame graph of the server under the load of a case (--list)
profile *arguments:
    scripts/profile {{arguments}}

# Runs every gate, as CI does
ci:
    CI=true bash .ci/run
