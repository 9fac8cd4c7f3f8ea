//! One password for many accounts.

use super::people::{OTHER_PASSWORD, PASSWORD, person};
use super::visit::{fill, sign_in, try_to_sign_in};
use crate::e2e::browser::Browser;
use crate::e2e::world::World;
use std::net::Ipv4Addr;

/// Maximum number of wrong passwords from an address in these tests.
const LIMIT: usize = 12;
const EMAIL: &str = "sleeper@example.org";
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 77);

fn with_limit(world: World) -> World {
    world.with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", &LIMIT.to_string())
}

on_both_stores! {
    // T82
    async fn one_password_for_many_accounts_reaches_the_limit_of_the_address(world: World) {
        let world = with_limit(world);
        person(&world, EMAIL, PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        for number in 0..LIMIT {
            let email = if number == 5 { EMAIL.to_owned() } else { format!("person-{number}@example.org") };
            let reply = try_to_sign_in(&Browser::new(&servers[number % 2]), &email, OTHER_PASSWORD).await;
            assert_eq!(reply.status, 422, "{number}: {reply:?}");
        }
        for (number, server) in servers.iter().enumerate() {
            let email = format!("another-{number}@example.org");
            let reply = try_to_sign_in(&Browser::new(server), &email, OTHER_PASSWORD).await;
            assert_eq!(reply.status, 429, "{reply:?}");
            assert!(reply.header("retry-after").is_some());
        }
        // The person has used one attempt and can sign in from another address.
        sign_in(&Browser::from_address(&servers[0], ELSEWHERE), EMAIL, PASSWORD).await;
    }

    // T82
    async fn no_header_changes_a_guessers_address(world: World) {
        let world = with_limit(world);
        let server = world.serve();
        let browser = Browser::new(&server);
        for number in 0..LIMIT {
            let reply = try_to_sign_in(&browser, &format!("person-{number}@example.org"), PASSWORD).await;
            assert_eq!(reply.status, 422);
        }
        let fields = [("email", EMAIL), ("password", PASSWORD)];
        let form = fill(&browser.open("/sign-in").await, "/sign-in", &fields);
        for header in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"] {
            let reply = browser.submit_with(&form, &[(header, "203.0.113.7")]).await;
            assert_eq!(reply.status, 429, "{header}: {reply:?}");
        }
    }

    // T82
    async fn attempts_rejected_by_address_do_not_count_against_the_account(world: World) {
        let world = with_limit(world);
        person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        let guesser = Browser::new(&server);
        for number in 0..LIMIT {
            try_to_sign_in(&guesser, &format!("person-{number}@example.org"), PASSWORD).await;
        }
        // Far more than an account allows: none of them is checked.
        for _ in 0..30 {
            assert_eq!(try_to_sign_in(&guesser, EMAIL, OTHER_PASSWORD).await.status, 429);
        }
        sign_in(&Browser::from_address(&server, ELSEWHERE), EMAIL, PASSWORD).await;
    }

    // T82
    async fn right_passwords_do_not_count_against_the_address(world: World) {
        let world = with_limit(world);
        person(&world, EMAIL, PASSWORD);
        let server = world.serve();
        for _ in 0..LIMIT + 3 {
            sign_in(&Browser::new(&server), EMAIL, PASSWORD).await;
        }
        // Nor does a right password give a guesser at the same address new attempts.
        for number in 0..LIMIT {
            let reply = try_to_sign_in(&Browser::new(&server), &format!("person-{number}@example.org"), PASSWORD).await;
            assert_eq!(reply.status, 422, "{number}");
            if number == LIMIT - 2 {
                sign_in(&Browser::new(&server), EMAIL, PASSWORD).await;
            }
        }
        assert_eq!(try_to_sign_in(&Browser::new(&server), "last@example.org", PASSWORD).await.status, 429);
    }
}
