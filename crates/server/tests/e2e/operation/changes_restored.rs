//! The change feed of a store that was put back to an earlier state.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{register, text};
use crate::e2e::world::World;
use reqwest::StatusCode;

/// Puts a person back to before anything was stored of them, as a backup of that time would.
const BACK: &str =
    "DELETE FROM sleep_session; UPDATE account SET change_number = 0, profile_change_number = 0";

on_both_stores! {
    async fn a_cursor_from_after_the_backup_is_gone_and_whoever_begins_again_misses_nothing(world: World) {
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
        // Also by a token that does not see sleep, because numbers are the person's.
        let gone = reader.ask("changes", &format!("cursor={after}&types=profile")).await;
        assert_eq!(gone.status, StatusCode::GONE);
        // What was read before the backup is as good as ever.
        let known = reader.read("changes", &format!("cursor={before}")).await;
        assert_eq!((known["data"].as_array().map(Vec::len), &known["has_more"]), (Some(0), &false.into()));

        import("new.ndjson", 2);
        assert_eq!(reader.column("changes", "types=sleep", "type").await, ["sleep", "sleep"]);
    }
}
