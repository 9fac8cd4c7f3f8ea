//! Table of sandbox people.

use diesel::table;

table! {
    sandbox_person (user_id) {
        user_id -> Uuid,
        story -> Text,
        owner_id -> Nullable<Uuid>,
        records_until -> Date,
    }
}
