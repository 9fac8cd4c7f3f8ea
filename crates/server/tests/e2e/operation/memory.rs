//! Memory of large pages: that of the packed rows, not that of the bodies.

use super::reader::Reader;
use super::records;
use crate::e2e::app::register;
use crate::e2e::world::World;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;

const SESSIONS: usize = 10_000;
const STAGES: usize = 40;
const CLIENTS: usize = 10;

/// Maximum memory per session while its page is served: two packed columns of about 100 and 150 bytes, the
/// fixed ones, and the allocator's overhead.
const BYTES_A_SESSION: usize = 400;
/// Maximum additional memory per client: socket buffers, chunks in flight, the statement's result as it
/// arrives.
const BYTES_A_CLIENT: usize = 2 * 1024 * 1024;

/// Returns the maximum memory mapped for an embedded store: each of its readers (`storage.pool_size`) maps
/// the files separately.
fn mapped(world: &World) -> usize {
    let size = |name: &str| std::fs::metadata(world.dir.path().join(name)).map_or(0, |file| file.len());
    let files = size("restwell.db") + size("restwell.db-wal");
    8 * usize::try_from(files).expect("size")
}

on_both_stores! {
    async fn ten_pages_of_ten_thousand_sessions_stay_within_the_memory_limit(world: World) {
        let world = world.in_processes();
        let registration = register(&world);
        let user = &registration.user_id;
        let file = world.file("nights.ndjson", &records::nights(SESSIONS, STAGES));
        let started = Instant::now();
        assert_eq!(world.json(&["import", "--user", user, "--json", &file])["sessions"]["new"], SESSIONS);
        let imported = started.elapsed();
        // More clients than connections: those that wait must not be rejected because the machine is busy.
        let world = world
            .with("RESTWELL__STORAGE__CONNECT_TIMEOUT_SECONDS", "60")
            .with("RESTWELL__STORAGE__STATEMENT_TIMEOUT_SECONDS", "60");
        let server = world.serve();
        let reader = Arc::new(Reader::authorized(&world, &server, &registration).await);
        reader.read("profile", "").await;
        let idle = server.peak_memory();
        let query = "pageSize=10000&include_stages=true&include_metrics=true";
        let started = Instant::now();
        let mut reading = JoinSet::new();
        for _ in 0..CLIENTS {
            let reader = reader.clone();
            reading.spawn(async move {
                let mut body = reader.begin("sleep", query).await;
                let (mut bytes, mut last) = (0, None);
                while let Some(chunk) = body.chunk().await.expect("chunk") {
                    bytes += chunk.len();
                    last = chunk.last().copied();
                }
                assert_eq!(last, Some(b'}'), "the body broke off");
                bytes
            });
        }
        let bytes = reading.join_all().await;
        let (read, peak) = (started.elapsed(), server.peak_memory());
        let bound = idle + CLIENTS * (SESSIONS * BYTES_A_SESSION + BYTES_A_CLIENT) + mapped(&world);
        let mebibytes = |bytes: usize| bytes / 1024 / 1024;
        println!(
            "{:?}: import {imported:?}; {CLIENTS} pages of {} MiB in {read:?}; idle {} MiB, peak {} MiB, bound {} MiB",
            world.kind, mebibytes(bytes[0]), mebibytes(idle), mebibytes(peak), mebibytes(bound)
        );
        assert!(bytes.iter().all(|length| *length == bytes[0]) && bytes[0] > SESSIONS * STAGES * 80, "{bytes:?}");
        assert!(peak < bound, "{} MiB were in use, {} MiB are allowed", mebibytes(peak), mebibytes(bound));
    }
}
