//! One password for many accounts.

use super::people::{OTHER_PASSWORD, PASSWORD, person};
use super::visit::{sign_in, try_to_sign_in};
use crate::e2e::browser::Browser;
use crate::e2e::world::World;
use std::net::Ipv4Addr;

/// Maximum number of wrong passwords from an address in these tests.
const LIMIT: usize = 12;
const EMAIL: &str = "sleeper@example.org";
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 77);

on_both_stores! {
    // T82
    async fn one_password_for_many_accounts_reaches_the_limit_of_the_address(world: World) {
        let world = world.with("RESTWELL__ACCOUNTS__SIGN_IN_PER_ADDRESS", &LIMIT.to_string());
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
}
