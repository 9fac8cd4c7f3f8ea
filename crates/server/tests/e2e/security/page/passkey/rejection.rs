//! Rejected forms, and the connections that they open.

use super::Stage;
use crate::e2e::world::{StoreKind, World};
use futures_util::future::join_all;
use uuid::Uuid;

/// Start of the newest connection of the server, in microseconds.
const NEWEST: &str = "SELECT (extract(epoch FROM max(backend_start)) * 1000000)::bigint AS number
    FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'restwell'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_rejected_forms_of_a_person_open_no_connection_to_the_database() {
    let stage = Stage::new(World::new(StoreKind::Postgres).await).await;
    let (world, browser) = (&stage.scene.world, &stage.scene.browser);
    let page = browser.open("/account").await;
    let unknown = Uuid::from_u128(7).to_string();
    let rename = page.form("/account/passkeys/rename").with("name", "Phone").with("passkey", &unknown);
    let remove = page.form("/account/passkeys/remove").with("passkey", &unknown);
    // Opens as many connections as pages and background work use at the same time.
    join_all((0..40).map(|_| browser.submit(&rename))).await;
    let before = world.number(NEWEST).await;
    for _ in 0..30 {
        for form in [&rename, &remove] {
            assert_eq!(browser.submit(form).await.own_location(), "/account");
        }
    }
    assert_eq!(world.number(NEWEST).await, before, "a rejected form opened a connection");
}
