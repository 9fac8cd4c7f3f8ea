//! A machine with a wrong clock: it is not ready, but validates codes and tokens correctly.
//!
//! libfaketime (the package `faketime`, which scripts/test installs) shifts the clock of one process; its
//! monotonic clock is unaffected, as when a machine's clock is set.

use super::reader::Reader;
use crate::e2e::app::{SCOPES, Tokens, ask_token, code, redeem, register, text};
use crate::e2e::patience::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use reqwest::StatusCode;
use std::path::{Path, PathBuf};

fn library() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").expect("/usr/lib").filter_map(Result::ok);
    let places = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    places.filter(|place| place.exists()).last().expect("libfaketime; install the package faketime")
}

/// Server whose clock is shifted by the offset in a file, such as `+300` seconds.
struct Wrong {
    server: Server,
    file: PathBuf,
}

impl Wrong {
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
async fn a_server_five_minutes_off_is_not_ready_and_judges_by_the_stores_clock() {
    let world = world().await;
    let registration = register(&world);
    for offset in ["+300", "-300"] {
        let mut right = world.serve_as("right");
        let mut wrong = Wrong::serve(&world, offset);
        wrong.wait_until(StatusCode::SERVICE_UNAVAILABLE).await;
        eventually("only the clock is wrong", async || {
            wrong.ready().await.1.contains(r#""detail":"Failed: clock.""#).then_some(())
        })
        .await;
        let live = reqwest::get(format!("{}/livez", wrong.server.base_url)).await.expect("answer");
        assert_eq!(live.status(), StatusCode::OK);

        // Codes issued at the correct time are valid, and their tokens are valid on both servers: none is
        // expired or from the future.
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
        // An expired code, by the store's clock, is rejected by the slow server too.
        let ended = code(&world, &registration, &SCOPES);
        world.execute("UPDATE authorization_code SET expires_at = expires_at - interval '2 minutes'").await;
        assert_eq!(ask_token(&wrong.server, &registration, &ended).await.status(), StatusCode::BAD_REQUEST);

        // With the right clock it is ready; with a wrong one it is not. Each change is logged once.
        set(&wrong.file, "+0");
        wrong.wait_until(StatusCode::OK).await;
        set(&wrong.file, offset);
        wrong.wait_until(StatusCode::SERVICE_UNAVAILABLE).await;
        let log = wrong.server.log();
        assert_eq!(log.matches("more than 2 s apart").count(), 2, "{log}");
        assert_eq!(log.matches("agree again").count(), 1, "{log}");
        assert_eq!((right.terminate(), wrong.server.terminate()), (Some(0), Some(0)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_command_writes_is_dated_by_the_stores_clock() {
    let world = world().await;
    let registration = register(&world);
    let mut server = world.serve();
    let mut command = world.command(&[
        "code",
        "create",
        "--client",
        &registration.client_id,
        "--user",
        &registration.user_id,
        "--redirect-uri",
        crate::e2e::app::REDIRECT_URI,
        "--scope",
        "sleep",
        "--json",
    ]);
    command.env("LD_PRELOAD", library()).env("FAKETIME", "-300");
    let output = command.output().expect("restwell runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let made: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // A code issued five minutes ago would have expired four minutes ago.
    let answer = ask_token(&server, &registration, &text(&made, "code")).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(server.terminate(), Some(0));
}
