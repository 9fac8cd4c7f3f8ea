//! Diesel's table definitions of the schema in `migrations/postgres`.

mod usage;

pub(crate) use usage::*;

diesel::table! {
    person (id) {
        id -> Uuid,
        email_normalised -> Text,
    }
}

diesel::table! {
    account (id) {
        id -> Uuid,
        email -> Text,
        home_timezone -> Text,
        locked_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        birth_date -> Nullable<Date>,
        biological_sex -> Nullable<Text>,
        blood_type -> Nullable<Text>,
        height_cm -> Nullable<Double>,
        weight_kg -> Nullable<Double>,
        skin_type -> Nullable<SmallInt>,
        wheelchair_use -> Nullable<Bool>,
        change_number -> BigInt,
        profile_change_number -> BigInt,
    }
}

diesel::table! {
    sleep_session (user_id, started_at, id) {
        user_id -> Uuid,
        started_at -> Timestamptz,
        id -> Uuid,
        ended_at -> Timestamptz,
        offset_at_start -> Nullable<SmallInt>,
        offset_at_end -> Nullable<SmallInt>,
        source -> Text,
        key_kind -> Text,
        natural_key -> Text,
        is_nap -> Nullable<Bool>,
        updated_at -> Timestamptz,
        stages -> Binary,
        metrics -> Binary,
        change_number -> BigInt,
    }
}

diesel::table! {
    supplement (id) {
        id -> Uuid,
        catalogue_source -> Text,
        catalogue_key -> Text,
        is_current -> Bool,
        is_logged -> Bool,
        brand -> Text,
        name -> Text,
        servings -> Text,
        upc -> Text,
        label_date -> Nullable<Date>,
        entry_date -> Timestamptz,
        ingredients -> Jsonb,
        upc_digits -> Nullable<Text>,
        owner_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    intake_log (user_id, supplement_id, created_at, id) {
        user_id -> Uuid,
        supplement_id -> Uuid,
        created_at -> Timestamptz,
        id -> Uuid,
        servings -> Double,
        external_key -> Nullable<Text>,
        change_number -> BigInt,
    }
}

diesel::table! {
    failure_counter (key) {
        key -> Binary,
        window_began_at -> Timestamptz,
        failures -> Integer,
    }
}

diesel::table! {
    password (user_id) {
        user_id -> Uuid,
        hash -> Text,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    import (id) {
        id -> Uuid,
        user_id -> Nullable<Uuid>,
        origin -> Text,
        file_name -> Text,
        format -> Nullable<Text>,
        digest -> Nullable<Binary>,
        zone -> Text,
        state -> Text,
        size -> BigInt,
        bytes_done -> BigInt,
        started_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
        report -> Json,
        refusal -> Nullable<Text>,
        lease_until -> Nullable<Timestamptz>,
        updated_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    /// Columns of `import` beyond the 16 that a diesel table has without a costlier feature.
    #[sql_name = "import"]
    import_extra (id) {
        id -> Uuid,
        bytes_checked -> BigInt,
        tries -> Integer,
        recording_start -> Nullable<Text>,
        overwrite_profile -> Bool,
        profile_changes -> Nullable<Jsonb>,
        cancelled_by -> Nullable<Text>,
        left_out_labels -> Bool,
        undone -> Nullable<Jsonb>,
    }
}

diesel::table! {
    import_part (import_id, position) {
        import_id -> Uuid,
        position -> Integer,
        bytes -> Binary,
    }
}

diesel::table! {
    import_change (record_id, kind, import_id) {
        import_id -> Uuid,
        kind -> Text,
        record_id -> Uuid,
        user_id -> Nullable<Uuid>,
        before -> Nullable<Json>,
        sequence -> BigInt,
        version_found -> Nullable<Binary>,
        version_left -> Nullable<Binary>,
        replaced_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    erased_person (id_hash) {
        id_hash -> Binary,
    }
}

diesel::table! {
    erasure (id) {
        id -> Uuid,
        at -> Timestamptz,
    }
}

diesel::table! {
    idempotent_answer (client_id, key_hash) {
        client_id -> Uuid,
        key_hash -> Binary,
        content_hash -> Binary,
        claimed_at -> Timestamptz,
        status -> Nullable<SmallInt>,
        body -> Nullable<Binary>,
    }
}

diesel::table! {
    schema_compatibility (version) {
        version -> Text,
        oldest_program -> Integer,
    }
}

diesel::joinable!(password -> account (user_id));
diesel::allow_tables_to_appear_in_same_query!(account, password);
diesel::allow_tables_to_appear_in_same_query!(intake_log, supplement);
