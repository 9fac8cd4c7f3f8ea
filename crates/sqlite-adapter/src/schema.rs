//! Diesel's table definitions of the schema in `migrations/sqlite`.

use diesel::{allow_tables_to_appear_in_same_query, table};

mod usage;

pub(crate) use usage::*;

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
    supplement (id) {
        id -> Binary,
        catalogue_source -> Text,
        catalogue_key -> Text,
        is_current -> Bool,
        brand -> Text,
        name -> Text,
        servings -> Text,
        upc -> Text,
        label_date -> Nullable<Text>,
        entry_date -> BigInt,
        ingredients -> Text,
        upc_digits -> Nullable<Text>,
        owner_id -> Nullable<Text>,
    }
}

table! {
    intake_log (user_id, supplement_id, created_at, id) {
        user_id -> Binary,
        supplement_id -> Binary,
        created_at -> BigInt,
        id -> Binary,
        servings -> Double,
        external_key -> Nullable<Text>,
        change_number -> BigInt,
    }
}

table! {
    failure_counter (key) {
        key -> Binary,
        window_began_at -> BigInt,
        failures -> BigInt,
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
        origin -> Text,
        file_name -> Text,
        format -> Nullable<Text>,
        digest -> Nullable<Binary>,
        zone -> Text,
        state -> Text,
        size -> BigInt,
        bytes_done -> BigInt,
        started_at -> BigInt,
        ended_at -> Nullable<BigInt>,
        report -> Text,
        refusal -> Nullable<Text>,
        lease_until -> Nullable<BigInt>,
        updated_at -> Nullable<BigInt>,
    }
}

table! {
    /// Columns of `import` beyond the 16 that a diesel table has without a costlier feature.
    #[sql_name = "import"]
    import_extra (id) {
        id -> Binary,
        bytes_checked -> BigInt,
        tries -> BigInt,
        recording_start -> Nullable<Text>,
        overwrite_profile -> Bool,
        profile_changes -> Nullable<Text>,
        cancelled_by -> Nullable<Text>,
        left_out_labels -> Bool,
        undone -> Nullable<Text>,
    }
}

table! {
    import_part (import_id, position) {
        import_id -> Binary,
        position -> BigInt,
        bytes -> Binary,
    }
}

table! {
    import_change (sequence) {
        sequence -> BigInt,
        import_id -> Binary,
        kind -> Text,
        record_id -> Binary,
        user_id -> Nullable<Binary>,
        before -> Nullable<Text>,
        version_found -> Nullable<Binary>,
        version_left -> Nullable<Binary>,
        replaced_by -> Nullable<Binary>,
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

table! {
    idempotent_answer (client_id, key_hash) {
        client_id -> Binary,
        key_hash -> Binary,
        content_hash -> Binary,
        claimed_at -> BigInt,
        status -> Nullable<Integer>,
        body -> Nullable<Binary>,
    }
}

allow_tables_to_appear_in_same_query! {
    account, import, import_change, import_part, password,
}
