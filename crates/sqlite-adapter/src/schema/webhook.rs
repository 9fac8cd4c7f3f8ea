//! Tables of webhooks.

use super::client;

diesel::table! {
    webhook_endpoint (id) {
        id -> Binary,
        client_id -> Binary,
        url -> Text,
        contact -> Nullable<Text>,
        status -> Text,
        disabled_at -> Nullable<BigInt>,
        is_reviewed -> Bool,
        secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_secret_expires_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    webhook_event (user_id, endpoint_id, kind) {
        user_id -> Binary,
        endpoint_id -> Binary,
        kind -> Text,
        number -> BigInt,
        announced -> BigInt,
        occurred_at -> BigInt,
        failed -> BigInt,
        due_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    webhook_delivery (id) {
        id -> Binary,
        endpoint_id -> Binary,
        user_id -> Binary,
        kind -> Text,
        number -> BigInt,
        announced_before -> BigInt,
        occurred_at -> BigInt,
        at -> BigInt,
        milliseconds -> BigInt,
        result -> Text,
        next_attempt_at -> Nullable<BigInt>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(webhook_endpoint, client);
