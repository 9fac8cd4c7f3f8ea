//! A store that refuses writes because its disk is full.

use crate::e2e::app::{SCOPES, ask_token, code, read, redeem, register};
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use serde_json::Value;

/// Makes the store fail for a grant and for a probe as with a full disk.
fn fill(kind: StoreKind) -> String {
    let refused = ["access_grant", "outbox"];
    match kind {
        StoreKind::Sqlite => refused.map(|table| {
            format!(
                "CREATE TRIGGER full_{table} BEFORE INSERT ON {table}
                 BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;"
            )
        }),
        StoreKind::Postgres => refused.map(|table| {
            format!(
                "CREATE FUNCTION full_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION USING ERRCODE = 'disk_full',
                     MESSAGE = 'could not extend file \"base/5/16384\": No space left on device'; END $$;
                 CREATE TRIGGER full_{table} BEFORE INSERT ON {table}
                 FOR EACH ROW EXECUTE FUNCTION full_{table}();"
            )
        }),
    }
    .concat()
}

fn free(kind: StoreKind) -> String {
    ["access_grant", "outbox"]
        .map(|table| match kind {
            StoreKind::Sqlite => format!("DROP TRIGGER full_{table};"),
            StoreKind::Postgres => format!("DROP TRIGGER full_{table} ON {table};"),
        })
        .concat()
}

/// Returns the body of `/readyz`, which is 200 whether or not the store accepts writes.
async fn readiness(server: &Server) -> Option<(String, String)> {
    let answer = reqwest::get(format!("{}/readyz", server.base_url)).await.expect("answer");
    if answer.status() != 200 {
        return None;
    }
    let body: Value = answer.json().await.expect("JSON");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some((text(&body["status"])?, text(&body["checks"]["writes"])?))
}

async fn wait_until(server: &Server, status: &str, writes: &str) {
    let expected = Some((status.to_owned(), writes.to_owned()));
    eventually("the server says so", async || (readiness(server).await == expected).then_some(())).await;
}

on_both_stores! {
    async fn readiness_reports_a_full_disk_while_reads_are_served(world: World) {
        let world = world.in_processes();
        let server = world.serve();
        let app = register(&world);
        wait_until(&server, "ok", "ok").await;
        let tokens = redeem(&server, &app, &code(&world, &app, &SCOPES)).await;
        let profile = format!("/api/v1/profile/{}", app.user_id);
        let refused = code(&world, &app, &SCOPES);

        world.execute(&fill(world.kind)).await;
        let answer = ask_token(&server, &app, &refused).await;
        assert_eq!(answer.status(), 503, "{}", server.log());
        assert!(answer.headers().contains_key("retry-after"));
        wait_until(&server, "read_only", "disk_full").await;
        assert_eq!(read(&server, &tokens.access, &profile).await.status(), 200);

        world.execute(&free(world.kind)).await;
        wait_until(&server, "ok", "ok").await;
        // The rejected request stored nothing.
        redeem(&server, &app, &refused).await;
        let log = server.log();
        assert!(log.contains("read-only: the store refuses writes"), "{log}");
        assert!(log.contains("the store accepts writes again"), "{log}");
    }
}
