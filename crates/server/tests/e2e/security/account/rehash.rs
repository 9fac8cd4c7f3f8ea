//! Hashes with outdated settings.

use super::super::dump::Dump;
use super::people::{PASSWORD, WRONG_PASSWORD, person};
use super::visit::{sign_in, try_to_sign_in};
use crate::e2e::browser::Browser;
use crate::e2e::world::World;

const EMAIL: &str = "sleeper@example.org";
/// Prefix of a hash with the default settings.
const WEAK: &str = "$argon2id$v=19$m=19456,t=2,p=1$";
/// Prefix of a hash with one more iteration.
const STRONG: &str = "$argon2id$v=19$m=19456,t=3,p=1$";
/// Length of a hash with 16 bytes of salt and 32 of result.
const LENGTH: usize = WEAK.len() + 22 + 1 + 43;

/// Returns the only hash in the store.
async fn stored_hash(world: &World) -> String {
    let dump = Dump::live(world).await;
    let text = dump.text();
    let hashes: Vec<_> = text.match_indices("$argon2id$").map(|(at, _)| text.get(at..at + LENGTH)).collect();
    assert_eq!(hashes.len(), 1, "{hashes:?}");
    hashes[0].expect("hash").to_owned()
}

on_sqlite! {
    // T86
    async fn a_hash_with_weaker_settings_is_replaced_at_the_next_sign_in(world: World) {
        person(&world, EMAIL, PASSWORD);
        let weak = stored_hash(&world).await;
        assert!(weak.starts_with(WEAK), "{weak}");
        let old = world.serve();
        sign_in(&Browser::new(&old), EMAIL, PASSWORD).await;
        assert_eq!(stored_hash(&world).await, weak, "nothing is better about a new one");

        let world = world.with("RESTWELL__PASSWORDS__ITERATIONS", "3");
        let new = world.serve_as("stronger");
        assert_eq!(try_to_sign_in(&Browser::new(&new), EMAIL, WRONG_PASSWORD).await.status, 422);
        assert_eq!(stored_hash(&world).await, weak, "a wrong password changes nothing");
        let browser = Browser::new(&new);
        sign_in(&browser, EMAIL, PASSWORD).await;
        let strong = stored_hash(&world).await;
        assert!(strong.starts_with(STRONG), "{strong}");
        assert!(browser.is_signed_in().await);
        assert!(try_to_sign_in(&Browser::new(&new), EMAIL, WRONG_PASSWORD).await.status == 422);

        // A server with the old settings verifies it with the parameters in the hash, and leaves it.
        sign_in(&Browser::new(&old), EMAIL, PASSWORD).await;
        assert_eq!(try_to_sign_in(&Browser::new(&old), EMAIL, WRONG_PASSWORD).await.status, 422);
        assert_eq!(stored_hash(&world).await, strong);
    }
}
