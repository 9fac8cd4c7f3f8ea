//! Tables of webhooks.

use super::client;

diesel::table! {
    webhook_endpoint (id) {
        id -> Uuid,
        client_id -> Uuid,
        url -> Text,
        contact -> Nullable<Text>,
        status -> Text,
        disabled_at -> Nullable<Timestamptz>,
        is_reviewed -> Bool,
        secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_secret_expires_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    webhook_event (user_id, endpoint_id, kind) {
        user_id -> Uuid,
        endpoint_id -> Uuid,
        kind -> Text,
        number -> BigInt,
        announced -> BigInt,
        occurred_at -> Timestamptz,
        failed -> Integer,
        due_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    webhook_delivery (id) {
        id -> Uuid,
        endpoint_id -> Uuid,
        user_id -> Uuid,
        kind -> Text,
        number -> BigInt,
        announced_before -> BigInt,
        occurred_at -> Timestamptz,
        at -> Timestamptz,
        milliseconds -> BigInt,
        result -> Text,
        next_attempt_at -> Nullable<Timestamptz>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(webhook_endpoint, client);
