//! Diesel's table definitions of the schema in `migrations/sqlite`.

use diesel::{allow_tables_to_appear_in_same_query, table};

table! {
    read_tally (user_id) {
        user_id -> Binary,
    }
}

table! {
    schema_compatibility (version) {
        version -> Text,
        oldest_program -> Integer,
    }
}

table! {
    sleep_session (user_id, started_at, id) {
        user_id -> Binary,
        started_at -> BigInt,
        id -> Binary,
        ended_at -> BigInt,
        offset_at_start -> Nullable<Integer>,
        offset_at_end -> Nullable<Integer>,
        source -> Text,
        key_kind -> Text,
        natural_key -> Text,
        is_nap -> Nullable<Bool>,
        updated_at -> BigInt,
        stages -> Binary,
        metrics -> Binary,
        change_number -> BigInt,
    }
}

table! {
    intake_log (user_id) {
        user_id -> Binary,
    }
}

table! {
    deletion (user_id, kind, id) {
        user_id -> Binary,
        kind -> Text,
        id -> Binary,
        change_number -> BigInt,
        deleted_at -> BigInt,
    }
}

table! {
    import (id) {
        id -> Binary,
        user_id -> Nullable<Binary>,
    }
}

table! {
    import_part (import_id, position) {
        import_id -> Binary,
        position -> BigInt,
    }
}

table! {
    import_change (sequence) {
        sequence -> BigInt,
        import_id -> Binary,
    }
}

allow_tables_to_appear_in_same_query! {
    import, import_change, import_part,
}
