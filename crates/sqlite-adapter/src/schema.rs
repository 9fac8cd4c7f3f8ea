//! The tables, as diesel knows them; written by hand to mirror `migrations/sqlite`.

use diesel::{allow_tables_to_appear_in_same_query, table};

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
    }
}

table! {
    signing_key (id) {
        id -> Binary,
        public_key -> Binary,
        private_key -> Binary,
        created_at -> BigInt,
        retired_at -> Nullable<BigInt>,
    }
}

table! {
    failure_counter (key) {
        key -> Binary,
        window_began_at -> BigInt,
        failures -> BigInt,
    }
}

allow_tables_to_appear_in_same_query!(access_grant, account, client);
