//! The change feed of a store that was restored to an earlier state.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{register, text};
use crate::e2e::world::World;
use reqwest::StatusCode;

/// Resets a person to the state before the first record, like restoring a backup of that time.
const BACK: &str =
    "DELETE FROM sleep_session; UPDATE account SET change_number = 0, profile_change_number = 0";

on_sqlite! {
    async fn a_cursor_from_after_the_backup_is_expired_and_starting_over_misses_nothing(world: World) {
        let registration = register(&world);
        let user = &registration.user_id;
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let before = text(&reader.read("changes", "").await, "cursor");
        let import = |name: &str, nights: usize| {
            let file = world.file(name, &records::nights(nights, 2));
            world.ok(&["import", "--user", user, &file]);
        };
        import("lost.ndjson", 3);
        let after = text(&reader.read("changes", "").await, "cursor");

        world.execute(BACK).await;
        let gone = reader.ask("changes", &format!("cursor={after}")).await;
        assert_eq!((gone.status, text(&gone.json(), "code")), (StatusCode::GONE, "cursor_expired".to_owned()));
        // Also for a token without the scope for sleep, because the numbers are per person.
        let gone = reader.ask("changes", &format!("cursor={after}&types=profile")).await;
        assert_eq!(gone.status, StatusCode::GONE);
        // A cursor from before the backup remains valid.
        let known = reader.read("changes", &format!("cursor={before}")).await;
        assert_eq!((known["data"].as_array().map(Vec::len), &known["has_more"]), (Some(0), &false.into()));

        import("new.ndjson", 2);
        assert_eq!(reader.column("changes", "types=sleep", "type").await, ["sleep", "sleep"]);
    }
}
