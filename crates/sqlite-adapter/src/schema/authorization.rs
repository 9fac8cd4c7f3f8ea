//! Tables of remembered consents, and of the users of clients that the operator has not approved.

diesel::table! {
    consent (user_id, client_id) {
        user_id -> Binary,
        client_id -> Binary,
        scopes -> Text,
        remembered_at -> BigInt,
    }
}

diesel::table! {
    draft_user (client_id, user_id) {
        client_id -> Binary,
        user_id -> Binary,
        admitted_at -> BigInt,
    }
}
