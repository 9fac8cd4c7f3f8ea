//! Passwords set by the operator.

use crate::e2e::app::text;
use crate::e2e::browser::Browser;
use crate::e2e::security::account::people::{OTHER_PASSWORD, PASSWORD, give_password, person, trail};
use crate::e2e::security::account::visit::{fill, sign_in, try_to_sign_in, without_request_id};
use crate::e2e::world::{StoreKind, World};

const EMAIL: &str = "sam@example.org";

/// Creates a link for a person; returns its path with the query.
fn link(world: &World, user: &str) -> String {
    let made = world.json(&["user", "reset-password", user, "--json"]);
    assert!(text(&made, "link_expires_at").ends_with('Z'), "{made}");
    let (_, query) =
        made["password_link"].as_str().and_then(|link| link.split_once("/set-password")).expect("link");
    format!("/set-password{query}")
}

on_both_stores! {
    async fn a_person_is_created_with_a_link_to_choose_a_password(world: World) {
        let created = world.json(&["user", "create", "--email", EMAIL, "--timezone", "Europe/Berlin", "--json"]);
        let (_, query) = created["password_link"].as_str().and_then(|link| link.split_once("/set-password")).expect("link");
        let server = world.serve();
        let browser = Browser::new(&server);
        let page = browser.get(&format!("/set-password{query}")).await;
        assert_eq!(page.status, 200, "{page:?}");
        let reply = browser.submit(&fill(&page, "/set-password", &[("password", PASSWORD)])).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(!browser.is_signed_in().await, "the link signs nobody in");
        sign_in(&browser, EMAIL, PASSWORD).await;
    }

    async fn an_operators_link_works_once_and_the_old_password_until_then(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let signed_in = Browser::new(&servers[1]);
        sign_in(&signed_in, EMAIL, PASSWORD).await;
        let link = link(&world, &user);
        sign_in(&Browser::new(&servers[0]), EMAIL, PASSWORD).await;
        let browser = Browser::new(&servers[0]);
        let page = browser.get(&link).await;
        assert_eq!(browser.submit(&fill(&page, "/set-password", &[("password", OTHER_PASSWORD)])).await.status, 200);
        assert!(!signed_in.is_signed_in().await, "every session ends with the password");
        for server in &servers {
            // A used link looks like an unknown one.
            let spent = Browser::new(server).get(&link).await;
            let unknown = Browser::new(server).get(&format!("{}x", link.trim_end_matches('x'))).await;
            assert_eq!((spent.status, unknown.status), (400, 400));
            assert_eq!(without_request_id(&spent), without_request_id(&unknown));
        }
        assert_eq!(browser.submit(&fill(&page, "/set-password", &[("password", PASSWORD)])).await.status, 400);
        sign_in(&browser, EMAIL, OTHER_PASSWORD).await;
    }

    async fn only_one_of_many_concurrent_uses_of_a_link_on_two_servers_succeeds(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let link = link(&world, &user);
        let mut forms = Vec::new();
        for number in 0..8 {
            let browser = Browser::new(&servers[number % 2]);
            let page = browser.get(&link).await;
            forms.push((browser, page, format!("{OTHER_PASSWORD} {number}")));
        }
        let send = |(browser, page, password): (Browser, _, String)| tokio::spawn(async move {
            let reply = browser.submit(&fill(&page, "/set-password", &[("password", &password)])).await;
            (reply.status, password)
        });
        let tasks: Vec<_> = forms.into_iter().map(send).collect();
        let mut won = Vec::new();
        for task in tasks {
            let (status, password) = task.await.expect("reply");
            if status == 200 {
                won.push(password);
            } else {
                // Lost the race, or is asked to retry because of a concurrent write.
                assert!(matches!(status, 400 | 503), "{status}");
            }
        }
        assert_eq!(won.len(), 1, "{won:?}");
        sign_in(&Browser::new(&servers[0]), EMAIL, &won[0]).await;
        assert_eq!(Browser::new(&servers[1]).get(&link).await.status, 400);
        let set = trail(&world, &["--kind", "password.set", "--user", &user]);
        assert_eq!(set.len(), 2);
    }

    async fn a_newer_link_a_new_password_and_a_lock_invalidate_a_link(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let browser = Browser::new(&server);
        let older = link(&world, &user);
        let newer = link(&world, &user);
        assert_eq!(browser.get(&older).await.status, 400);
        assert_eq!(browser.get(&newer).await.status, 200);
        give_password(&world, &user, OTHER_PASSWORD);
        assert_eq!(browser.get(&newer).await.status, 400);
        sign_in(&browser, EMAIL, OTHER_PASSWORD).await;
        let page_link = link(&world, &user);
        let page = browser.get(&page_link).await;
        world.ok(&["user", "lock", &user]);
        assert_eq!(browser.get(&page_link).await.status, 400);
        assert_eq!(browser.submit(&fill(&page, "/set-password", &[("password", PASSWORD)])).await.status, 400);
        let refused = world.run(&["user", "reset-password", &user]);
        assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("locked"));
    }

    async fn a_password_set_by_the_operator_is_valid_at_once_and_ends_every_session(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let browser = Browser::new(&servers[0]);
        sign_in(&browser, EMAIL, PASSWORD).await;
        give_password(&world, &user, OTHER_PASSWORD);
        for server in &servers {
            assert!(!browser.at(server).is_signed_in().await);
            assert_eq!(try_to_sign_in(&Browser::new(server), EMAIL, PASSWORD).await.status, 422);
            sign_in(&Browser::new(server), EMAIL, OTHER_PASSWORD).await;
        }
    }

    async fn a_rejected_password_creates_no_account(world: World) {
        let create =
            ["user", "create", "--email", EMAIL, "--timezone", "Europe/Berlin", "--password-stdin", "--json"];
        for refused in ["too short\n", "passwordpassword\n", "two\nlines of a password\n"] {
            let output = world.run_with_input(&create, refused);
            assert!(!output.status.success(), "{refused:?}");
            assert_eq!(world.ok(&["user", "list", "--json"]).trim(), "", "{refused:?}");
        }
        person(&world, EMAIL, PASSWORD);
    }

    async fn a_password_on_standard_input_is_one_line(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let arguments = ["user", "reset-password", &user, "--password-stdin", "--json"];
        for (input, is_taken) in [("", false), ("\n", false), ("vier graue Schafe\nim Gras\n", false), ("vier graue Schafe\r\n", true)] {
            let output = world.run_with_input(&arguments, input);
            assert_eq!(output.status.success(), is_taken, "{input:?}: {output:?}");
        }
        // The line end is not part of it.
        sign_in(&Browser::new(&server), EMAIL, "vier graue Schafe").await;
    }
}

#[tokio::test]
async fn the_hashing_benchmark_prints_valid_settings() {
    let world = World::new(StoreKind::Sqlite).await;
    let found = world.json(&["calibrate-password-hash", "--milliseconds", "10", "--json"]);
    let number = |name: &str| found[name].as_u64().unwrap_or_else(|| panic!("{name}: {found}"));
    assert!(number("passwords.memory_kib") >= 19_456 && number("passwords.iterations") >= 2, "{found}");
    assert!(number("hash_microseconds") > 0);
    let world = world
        .with("RESTWELL__PASSWORDS__MEMORY_KIB", &number("passwords.memory_kib").to_string())
        .with("RESTWELL__PASSWORDS__ITERATIONS", &number("passwords.iterations").to_string())
        .with("RESTWELL__PASSWORDS__PARALLELISM", &number("passwords.parallelism").to_string());
    world.ok(&["check-config"]);
}
