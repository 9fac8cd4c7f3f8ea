//! Durability of decisions after a crash.

use super::caller::Caller;
use super::party::with_one_address;
use crate::e2e::app::{SCOPES, code, register};
use crate::e2e::world::World;

on_all_stores! {
    // T19
    async fn a_used_code_and_a_revoked_grant_stay_so_after_a_crash(world: World) {
        let world = world.in_processes();
        let world = with_one_address(world);
        let registration = register(&world);
        let mut server = world.serve();
        let caller = Caller::new(&server);
        let codes = [(); 3].map(|()| code(&world, &registration, &SCOPES));
        let kept = caller.redeem(&registration, &codes[0]).await.tokens();
        let revoked = caller.redeem(&registration, &codes[1]).await.tokens();
        caller.redeem(&registration, &codes[1]).await.assert_error(400, "invalid_grant");
        let replayed_later = caller.redeem(&registration, &codes[2]).await.tokens();
        // At once, so that nothing can be written later.
        server.kill();

        let server = world.serve_as("after-the-crash");
        let caller = Caller::new(&server);
        caller.refresh(&registration, &revoked.refresh).await.assert_error(400, "invalid_grant");
        caller.read_profile(&revoked.access, &registration).await.assert_problem(401, "invalid_token");
        caller.redeem(&registration, &codes[2]).await.assert_error(400, "invalid_grant");
        let refused = caller.refresh(&registration, &replayed_later.refresh).await;
        refused.assert_error(400, "invalid_grant");
        // Valid tokens stay valid: the signing key is the same.
        assert_eq!(caller.read_profile(&kept.access, &registration).await.status, 200);
        caller.refresh(&registration, &kept.refresh).await.access();
    }
}
