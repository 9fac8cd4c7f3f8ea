//! Guessing an account's password, from any address and at any server.

use super::people::{OTHER_PASSWORD, PASSWORD, WRONG_PASSWORD, give_password, person, trail};
use super::visit::{fill, sign_in, try_to_sign_in};
use crate::e2e::browser::{Browser, KNOWN_BROWSER, Page};
use crate::e2e::server::Server;
use crate::e2e::world::World;
use std::net::Ipv4Addr;
use std::time::Duration;

const EMAIL: &str = "sleeper@example.org";
const NEIGHBOUR: &str = "neighbour@example.org";

/// Maximum number of wrong passwords within the window, by default.
const LIMIT: usize = 10;

#[track_caller]
fn assert_must_wait(reply: &Page, longest: u64) -> Duration {
    assert_eq!(reply.status, 429, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    let seconds: u64 = reply.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert!((1..=longest).contains(&seconds), "{seconds}");
    Duration::from_secs(seconds)
}

fn loopback(number: usize) -> Ipv4Addr {
    let number = u8::try_from(number).expect("number");
    Ipv4Addr::new(127, number, number.wrapping_mul(7), number + 1)
}

on_all_stores! {
    // T81
    async fn only_ten_wrong_passwords_are_checked_across_servers_and_addresses(world: World) {
        let user = person(&world, EMAIL, PASSWORD);
        person(&world, NEIGHBOUR, OTHER_PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let mut replies = Vec::new();
        for number in 0..3 * LIMIT {
            // A separate browser, address and spelling for each attempt.
            let browser = Browser::from_address(&servers[number % 2], loopback(number));
            let email = if number % 3 == 0 { "Sleeper@Example.ORG" } else { EMAIL };
            replies.push(try_to_sign_in(&browser, email, &format!("{WRONG_PASSWORD} {number}")).await);
        }
        for (number, reply) in replies.iter().enumerate() {
            if number < LIMIT {
                assert_eq!(reply.status, 422, "{number}: {reply:?}");
            } else {
                assert_must_wait(reply, 600);
            }
        }
        // Rejected attempts are not in the trail either.
        let refused = trail(&world, &["--kind", "session.refused", "--user", &user]);
        assert_eq!(refused.len(), LIMIT);
        // The event about the limit is there once, however many attempts were rejected.
        assert_eq!(trail(&world, &["--kind", "session.limited", "--user", &user]).len(), 1);
        for server in &servers {
            // The right password is not checked either, so it cannot be distinguished from a wrong one.
            let owner = Browser::new(server);
            assert_must_wait(&try_to_sign_in(&owner, EMAIL, PASSWORD).await, 600);
            assert!(!owner.is_signed_in().await);
            sign_in(&Browser::new(server), NEIGHBOUR, OTHER_PASSWORD).await;
        }
    }
}

on_sqlite! {
    // T81
    async fn strangers_do_not_lock_the_owner_out_of_a_known_browser(world: World) {
        let world = with_window(world, 3, 600).with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT_A_DAY", "3");
        let user = person(&world, EMAIL, PASSWORD);
        person(&world, NEIGHBOUR, OTHER_PASSWORD);
        let servers = [world.serve(), world.serve_as("second")];
        let (owner, neighbour) = (Browser::new(&servers[0]), Browser::new(&servers[0]));
        sign_in(&owner, EMAIL, PASSWORD).await;
        sign_in(&neighbour, NEIGHBOUR, OTHER_PASSWORD).await;
        for browser in [&owner, &neighbour] {
            browser.submit(&fill(&browser.open("/apps").await, "/sign-out", &[])).await;
        }
        let strangers_cookie = neighbour.cookie(KNOWN_BROWSER).expect("the cookie of a sign-in");
        refused_after_three(&servers).await;
        assert_must_wait(&try_to_sign_in(&neighbour, EMAIL, PASSWORD).await, 86_400);
        // At the other server as well: the state is not kept in a process.
        sign_in(&owner.at(&servers[1]), EMAIL, PASSWORD).await;
        assert_must_wait(&try_to_sign_in(&Browser::new(&servers[0]), EMAIL, PASSWORD).await, 86_400);

        // A new password invalidates the earlier cookie.
        let earlier = Browser::new(&servers[0]);
        earlier.plant(KNOWN_BROWSER, &owner.cookie(KNOWN_BROWSER).expect("the cookie of a sign-in"));
        assert_ne!(owner.cookie(KNOWN_BROWSER), Some(strangers_cookie));
        give_password(&world, &user, OTHER_PASSWORD);
        refused_after_three(&servers).await;
        assert_must_wait(&try_to_sign_in(&earlier, EMAIL, OTHER_PASSWORD).await, 86_400);
        // A password set by the operator lifts the limit at once.
        give_password(&world, &user, PASSWORD);
        sign_in(&earlier, EMAIL, PASSWORD).await;
    }
}

fn with_window(world: World, attempts: usize, seconds: u64) -> World {
    world
        .with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ACCOUNT", &attempts.to_string())
        .with("RESTWELL__ACCOUNTS__FAILURE_WINDOW_SECONDS", &seconds.to_string())
}

/// Uses up the three attempts, at both servers.
async fn refused_after_three(servers: &[Server; 2]) {
    for number in 0..3 {
        let reply = try_to_sign_in(&Browser::new(&servers[number % 2]), EMAIL, WRONG_PASSWORD).await;
        assert_eq!(reply.status, 422, "{reply:?}");
    }
    for server in servers {
        assert_eq!(try_to_sign_in(&Browser::new(server), EMAIL, WRONG_PASSWORD).await.status, 429);
    }
}
