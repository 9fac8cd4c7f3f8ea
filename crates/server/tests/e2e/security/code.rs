//! Authorization codes: unguessable, single-use, short-lived, and bound to their authorization request.

use super::account::people::trail;
use super::caller::Caller;
use super::dump::Dump;
use super::party::many_codes;
use crate::e2e::app::{REDIRECT_URI, SCOPES, code, register};
use crate::e2e::polling::{REVOCATION_LIMIT, within};
use crate::e2e::world::World;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Instant;

on_sqlite! {
    // T10
    async fn codes_are_unique_random_and_stored_only_as_hashes(world: World) {
        let registration = register(&world);
        let codes = many_codes(&world, &registration, 150);
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
        assert!(codes.iter().all(|code| code.starts_with("rwc_") && code.len() == "rwc_".len() + 43 + 6));
        for place in 4..4 + 43 {
            let letters: BTreeSet<_> = codes.iter().map(|code| code.as_bytes()[place]).collect();
            // Of 62 letters 150 draws show 56 on average, and fewer than 40 practically never.
            assert!(letters.len() >= 40, "place {place} has only {} letters", letters.len());
        }
        let dump = Dump::new(&world);
        assert!(dump.holds(REDIRECT_URI));
        assert!(codes.iter().all(|code| code.get(4..4 + 43).is_some_and(|body| !dump.holds(body))));
    }

    // T11, T12
    async fn a_replayed_code_is_rejected_and_revokes_the_grant_of_its_first_use(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let caller = Caller::new(&server);
        let once = code(&world, &registration, &SCOPES);
        let replayed = caller.redeem(&registration, &once).await.tokens();
        let untouched = caller.redeem(&registration, &code(&world, &registration, &SCOPES)).await.tokens();
        assert_eq!(caller.read_profile(&replayed.access, &registration).await.status, 200);

        caller.redeem(&registration, &once).await.assert_error(400, "invalid_grant");
        let revoked_at = Instant::now();
        caller.refresh(&registration, &replayed.refresh).await.assert_error(400, "invalid_grant");
        let refused = within(REVOCATION_LIMIT, revoked_at, "the access token is refused", async || {
            Some(caller.read_profile(&replayed.access, &registration).await).filter(|reply| reply.status == 401)
        });
        refused.await.assert_problem(401, "invalid_token");
        caller.read_profile(&replayed.access, &registration).await.assert_problem(401, "invalid_token");

        caller.refresh(&registration, &untouched.refresh).await.access();
        assert_eq!(caller.read_profile(&untouched.access, &registration).await.status, 200);
        let replays = trail(&world, &["--kind", "code.replayed"]);
        assert_eq!(replays.len(), 1, "{replays:?}");
        assert_eq!((&replays[0]["client_id"], &replays[0]["user_id"]), (&json!(registration.client_id), &json!(registration.user_id)));
        assert!(replays[0]["subject"].is_string(), "the grant is named: {replays:?}");
    }
}
