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
    account (id) {
        id -> Binary,
        email -> Text,
        email_normalised -> Text,
        home_timezone -> Text,
        locked_at -> Nullable<BigInt>,
        created_at -> BigInt,
        birth_date -> Nullable<Text>,
        biological_sex -> Nullable<Text>,
        blood_type -> Nullable<Text>,
        height_cm -> Nullable<Double>,
        weight_kg -> Nullable<Double>,
        skin_type -> Nullable<Integer>,
        wheelchair_use -> Nullable<Bool>,
        change_number -> BigInt,
        profile_change_number -> BigInt,
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
    password (user_id) {
        user_id -> Binary,
        hash -> Text,
        changed_at -> BigInt,
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

table! {
    erased_person (id_hash) {
        id_hash -> Binary,
    }
}

table! {
    erasure (id) {
        id -> Binary,
        at -> BigInt,
    }
}

allow_tables_to_appear_in_same_query! {
    account, import, import_change, import_part, password,
}
