//! Diesel's table definitions of the schema in `migrations/postgres`.

mod authorization;
mod usage;
mod webhook;

pub(crate) use authorization::*;
pub(crate) use usage::*;
pub(crate) use webhook::*;

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
    client (id) {
        id -> Uuid,
        name -> Text,
        kind -> Text,
        redirect_uris -> Array<Text>,
        scopes -> Text,
        allow_query_secrets -> Bool,
        require_pkce -> Bool,
        disabled_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        is_public -> Bool,
        home_page -> Nullable<Text>,
        privacy_policy -> Nullable<Text>,
        owner_id -> Nullable<Uuid>,
        is_draft -> Bool,
        contact -> Nullable<Text>,
        document -> Nullable<Text>,
    }
}

diesel::table! {
    client_secret (client_id, id) {
        client_id -> Uuid,
        id -> Uuid,
        secret_hash -> Binary,
        created_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    authorization_code (code_hash) {
        code_hash -> Binary,
        client_id -> Uuid,
        user_id -> Uuid,
        redirect_uri -> Text,
        scopes -> Text,
        challenge -> Nullable<Binary>,
        issued_at -> Timestamptz,
        expires_at -> Timestamptz,
        redeemed_grant_id -> Nullable<Uuid>,
        redeemed_at -> Nullable<Timestamptz>,
        resource -> Text,
    }
}

diesel::table! {
    access_grant (user_id, id) {
        user_id -> Uuid,
        id -> Uuid,
        client_id -> Uuid,
        scopes -> Text,
        refresh_token_hash -> Binary,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
        revocation_reason -> Nullable<Text>,
        last_used_address -> Nullable<Text>,
        last_used_agent -> Nullable<Text>,
        newest_token_hash -> Nullable<Binary>,
        replaced_token_hash -> Nullable<Binary>,
        sealed_token -> Nullable<Binary>,
        rotated_at -> Nullable<Timestamptz>,
        resource -> Text,
    }
}

diesel::table! {
    refresh_token (token_hash) {
        token_hash -> Binary,
        user_id -> Uuid,
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
    session (user_id, id) {
        user_id -> Uuid,
        id -> Uuid,
        token_hash -> Binary,
        method -> Text,
        authenticated_at -> Timestamptz,
        last_seen_at -> Timestamptz,
        device -> Nullable<Text>,
        address -> Nullable<Text>,
        first_seen_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    personal_token (user_id, id) {
        user_id -> Uuid,
        id -> Uuid,
        token_hash -> Binary,
        scopes -> Text,
        expires_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
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

diesel::joinable!(client_secret -> client (client_id));
diesel::joinable!(access_grant -> client (client_id));
diesel::joinable!(access_grant -> account (user_id));
diesel::joinable!(password -> account (user_id));
diesel::joinable!(personal_token -> account (user_id));
diesel::allow_tables_to_appear_in_same_query!(
    access_grant,
    account,
    client,
    client_secret,
    password,
    personal_token
);
diesel::allow_tables_to_appear_in_same_query!(intake_log, supplement);
