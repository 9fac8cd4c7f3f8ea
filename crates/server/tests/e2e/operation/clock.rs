//! A server whose clock is wrong becomes unready, and commands on its machine write nothing.
//!
//! libfaketime (the package `faketime`) sets the clock of one process wrong and leaves its monotonic clock
//! alone, as when an operator sets a machine's clock.

use super::reader::Reader;
use crate::e2e::app::{SCOPES, Tokens, code, create_code, redeem, register};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use std::path::{Path, PathBuf};

pub(super) fn library() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").expect("/usr/lib").filter_map(Result::ok);
    let places = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    places.filter(|place| place.exists()).last().expect("libfaketime is missing; run: scripts/packages test")
}

/// Server whose clock is shifted by the offset in a file, such as `+300` seconds.
struct ShiftedServer {
    server: Server,
    file: PathBuf,
}

impl ShiftedServer {
    fn serve(world: &World, offset: &str) -> Self {
        let file = world.dir.path().join("clock");
        set(&file, offset);
        let mut command = world.command(&["serve"]);
        command.env("LD_PRELOAD", library());
        command.env("FAKETIME_TIMESTAMP_FILE", &file).env("FAKETIME_CACHE_DURATION", "1");
        command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
        let server = Server::spawn(command, &world.dir.path().join("wrong.log"));
        Self { server, file }
    }

    /// Returns the status and body of `/readyz`.
    async fn ready(&self) -> (StatusCode, String) {
        let answer = reqwest::get(format!("{}/readyz", self.server.base_url)).await.expect("answer");
        (answer.status(), answer.text().await.expect("text"))
    }

    async fn wait_until(&self, status: StatusCode) {
        eventually("the clock is noticed", async || (self.ready().await.0 == status).then_some(())).await;
    }
}

/// Writes the offset atomically.
fn set(file: &Path, offset: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, offset).expect("file");
    std::fs::rename(&new, file).expect("rename");
}

async fn world() -> World {
    let world = World::new(StoreKind::Postgres).await.in_processes();
    // Behind a load balancer all replicas share one address, which is the issuer of their tokens.
    world.with("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:4711")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_five_minutes_off_is_not_ready_until_it_is_corrected_on_postgres() {
    let world = world().await;
    let registration = register(&world);
    for offset in ["+300", "-300"] {
        let mut right = world.serve_as("right");
        let mut wrong = ShiftedServer::serve(&world, offset);
        wrong.wait_until(StatusCode::SERVICE_UNAVAILABLE).await;
        eventually("only the clock is wrong", async || {
            wrong.ready().await.1.contains(r#""detail":"Failed: clock.""#).then_some(())
        })
        .await;
        let live = reqwest::get(format!("{}/livez", wrong.server.base_url)).await.expect("answer");
        assert_eq!(live.status(), StatusCode::OK);

        // Once corrected, it accepts codes and tokens of the other server, and the other way round.
        set(&wrong.file, "+0");
        wrong.wait_until(StatusCode::OK).await;
        let tokens = [
            redeem(&wrong.server, &registration, &code(&world, &registration, &SCOPES)).await,
            redeem(&right, &registration, &code(&world, &registration, &SCOPES)).await,
        ];
        for server in [&right, &wrong.server] {
            for Tokens { access, .. } in &tokens {
                let answer = Reader::new(server, &registration.user_id, access).ask("profile", "").await;
                assert_eq!(answer.status, StatusCode::OK, "{offset}: {}", answer.text);
            }
        }

        // Each change is logged once.
        set(&wrong.file, offset);
        wrong.wait_until(StatusCode::SERVICE_UNAVAILABLE).await;
        let log = wrong.server.log();
        assert_eq!(log.matches("more than 2 s apart").count(), 2, "{log}");
        assert_eq!(log.matches("agree again").count(), 1, "{log}");
        assert_eq!((right.terminate(), wrong.server.terminate()), (Some(0), Some(0)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_one_second_off_is_ready_and_others_accept_its_tokens_on_postgres() {
    let world = world().await;
    let registration = register(&world);
    let mut right = world.serve_as("right");
    for offset in ["+1", "-1"] {
        let mut wrong = ShiftedServer::serve(&world, offset);
        wrong.wait_until(StatusCode::OK).await;
        let code = code(&world, &registration, &SCOPES);
        let Tokens { access, .. } = redeem(&wrong.server, &registration, &code).await;
        let answer = Reader::new(&right, &registration.user_id, &access).ask("profile", "").await;
        assert_eq!(answer.status, StatusCode::OK, "{offset}: {}", answer.text);
        assert_eq!(wrong.server.terminate(), Some(0));
    }
    assert_eq!(right.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_on_a_machine_with_a_wrong_clock_fails_without_writing_on_postgres() {
    let world = world().await;
    let registration = register(&world);
    let mut command = world.command(&create_code(&registration, &["sleep"], "60s"));
    command.env("LD_PRELOAD", library()).env("FAKETIME", "-300");
    let output = command.output().expect("restwell runs");
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{reported}");
    assert!(reported.contains("300.") && reported.contains("s apart, and 2 s is the limit"), "{reported}");
}
