//! Table of sandbox people.

use diesel::table;

table! {
    sandbox_person (user_id) {
        user_id -> Binary,
        story -> Text,
        owner_id -> Nullable<Binary>,
        records_until -> Text,
    }
}
