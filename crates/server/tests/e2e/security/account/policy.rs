//! Rules for passwords.

use super::people::{PASSWORD, person_without_password};
use super::visit::{fill, sign_in, try_to_sign_in};
use crate::e2e::app::text;
use crate::e2e::browser::Browser;
use crate::e2e::server::Server;
use crate::e2e::world::World;

const EMAIL: &str = "sleeper@example.org";

/// Opens a new link and sets a password with it; returns the status and the page.
async fn choose(world: &World, server: &Server, user: &str, password: &str) -> (u16, String) {
    let link = text(&world.json(&["user", "reset-password", user, "--json"]), "password_link");
    let (_, query) = link.split_once("/set-password").expect("link");
    let browser = Browser::new(server);
    let page = browser.get(&format!("/set-password{query}")).await;
    let reply = browser.submit(&fill(&page, "/set-password", &[("password", password)])).await;
    (reply.status, reply.body)
}

on_sqlite! {
    // T85
    async fn every_way_to_set_a_password_has_the_same_rules(world: World) {
        let user = person_without_password(&world, EMAIL);
        for refused in ["kahmfusselzopf", "passwordpassword", &"Wort ".repeat(206)] {
            let arguments = ["user", "reset-password", &user, "--password-stdin"];
            let output = world.run_with_input(&arguments, refused);
            assert!(!output.status.success(), "{refused}");
            let message = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            assert!(!message.contains(refused), "{message}");
        }
        let server = world.serve();
        assert_eq!(try_to_sign_in(&Browser::new(&server), EMAIL, "passwordpassword").await.status, 422);
        assert_eq!(choose(&world, &server, &user, PASSWORD).await.0, 200);
        let browser = Browser::new(&server);
        sign_in(&browser, EMAIL, PASSWORD).await;
        for refused in ["kahmfusselzopf", "passwordpassword", "sleeper@example.org"] {
            let page = browser.get("/account").await;
            let fields = [("current_password", PASSWORD), ("new_password", refused)];
            let reply = browser.submit(&fill(&page, "/account/password", &fields)).await;
            assert_eq!(reply.status, 422, "{refused}: {reply:?}");
        }
        sign_in(&Browser::new(&server), EMAIL, PASSWORD).await;
    }
}
