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
    async fn a_password_has_fifteen_characters_of_any_kind(world: World) {
        let user = person_without_password(&world, EMAIL);
        let server = world.serve();
        // Characters are counted, not bytes: the second has 22 of them, the third 14 of four bytes.
        for short in ["kahmfusselzopf", "Gänse-Öhrläpp", "🦉🌙🐑🛌🦔🌧🍃🐌🦊🌲🍄🪵🌾🐝", " ", "a"] {
            let (status, page) = choose(&world, &server, &user, short).await;
            assert_eq!(status, 422, "{short}");
            assert!(page.contains("Use at least 15 characters"), "{page}");
            assert!(!page.contains(short) || short.len() < 3, "the page repeats the password");
        }
        // No composition rules: lower-case letters, digits, blanks or characters of any script alone are
        // valid.
        for good in [
            "kahmfusselzopfe",
            "vier graue schafe",
            "91748 20563 18294",
            "夜の森でふくろうが静かに歌っている",
            "🦉🌙🐑🛌🦔🌧🍃🐌🦊🌲🍄🪵🌾🐝🧦",
            &"Hagebutte und Quitte ".repeat(10),
        ] {
            let (status, page) = choose(&world, &server, &user, good).await;
            assert_eq!(status, 200, "{good}: {page}");
            sign_in(&Browser::new(&server), EMAIL, good).await;
        }
        // Composed as one keyboard enters it, decomposed as another one does.
        assert_eq!(choose(&world, &server, &user, "vier gra\u{308}ue Ga\u{308}nse im Gra\u{301}s").await.0, 200);
        sign_in(&Browser::new(&server), EMAIL, "vier gr\u{e4}ue G\u{e4}nse im Gr\u{e1}s").await;
    }

    // T85
    async fn a_common_password_is_rejected(world: World) {
        let user = person_without_password(&world, EMAIL);
        let server = world.serve();
        for guessable in [
            "passwordpassword",
            "123456789012345",
            "aaaaaaaaaaaaaaaaaaaa",
            "qwertyuiopasdfghjkl",
            "sleeper@example.org",
            "Password123456!",
            "Password1234567!",
            "Berlin-Berlin-Berlin",
            "2026!!!!Sunshine!!!!2026",
            "abcabcabcabcabcabc",
        ] {
            let (status, page) = choose(&world, &server, &user, guessable).await;
            assert_eq!(status, 422, "{guessable}: {page}");
            assert!(page.contains("easy to guess"), "{guessable}: {page}");
        }
        assert_eq!(try_to_sign_in(&Browser::new(&server), EMAIL, "passwordpassword").await.status, 422);
    }

    // T85
    async fn every_way_to_set_a_password_has_the_same_rules(world: World) {
        let user = person_without_password(&world, EMAIL);
        for refused in ["kahmfusselzopf", "passwordpassword", &"Wort ".repeat(206)] {
            let arguments = ["user", "reset-password", &user, "--password-stdin"];
            let output = world.run_with_input(&arguments, refused);
            assert!(!output.status.success(), "{refused}");
            let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            assert!(!said.contains(refused), "{said}");
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
