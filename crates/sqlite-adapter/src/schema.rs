//! Diesel's table definitions of the schema in `migrations/sqlite`.

use diesel::{allow_tables_to_appear_in_same_query, table};

mod authorization;
mod usage;
mod webhook;

pub(crate) use authorization::*;
pub(crate) use usage::*;
pub(crate) use webhook::*;

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
    client (id) {
        id -> Binary,
        name -> Text,
        kind -> Text,
        redirect_uris -> Text,
        scopes -> Text,
        allow_query_secrets -> Bool,
        require_pkce -> Bool,
        disabled_at -> Nullable<BigInt>,
        created_at -> BigInt,
        is_public -> Bool,
        home_page -> Nullable<Text>,
        privacy_policy -> Nullable<Text>,
        owner_id -> Nullable<Binary>,
        is_draft -> Bool,
        contact -> Nullable<Text>,
        document -> Nullable<Text>,
    }
}

table! {
    client_secret (client_id, id) {
        client_id -> Binary,
        id -> Binary,
        secret_hash -> Binary,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
    }
}

table! {
    authorization_code (code_hash) {
        code_hash -> Binary,
        client_id -> Binary,
        user_id -> Binary,
        redirect_uri -> Text,
        scopes -> Text,
        challenge -> Nullable<Binary>,
        issued_at -> BigInt,
        expires_at -> BigInt,
        redeemed_grant_id -> Nullable<Binary>,
        redeemed_at -> Nullable<BigInt>,
        resource -> Text,
    }
}

table! {
    access_grant (user_id, id) {
        user_id -> Binary,
        id -> Binary,
        client_id -> Binary,
        scopes -> Text,
        refresh_token_hash -> Binary,
        created_at -> BigInt,
        last_used_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
        revocation_reason -> Nullable<Text>,
        last_used_address -> Nullable<Text>,
        last_used_agent -> Nullable<Text>,
        newest_token_hash -> Nullable<Binary>,
        replaced_token_hash -> Nullable<Binary>,
        sealed_token -> Nullable<Binary>,
        rotated_at -> Nullable<BigInt>,
        resource -> Text,
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
    session (user_id, id) {
        user_id -> Binary,
        id -> Binary,
        token_hash -> Binary,
        method -> Text,
        authenticated_at -> BigInt,
        last_seen_at -> BigInt,
        device -> Nullable<Text>,
        address -> Nullable<Text>,
        first_seen_at -> Nullable<BigInt>,
    }
}

table! {
    personal_token (user_id, id) {
        user_id -> Binary,
        id -> Binary,
        token_hash -> Binary,
        scopes -> Text,
        expires_at -> Nullable<BigInt>,
        last_used_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
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
    access_grant, account, authorization_code, client, import, import_change,
    import_part, password, personal_token, session,
}
