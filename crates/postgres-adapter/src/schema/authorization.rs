//! Tables of remembered consents, and of the users of clients that the operator has not approved.

diesel::table! {
    consent (user_id, client_id) {
        user_id -> Uuid,
        client_id -> Uuid,
        scopes -> Text,
        remembered_at -> Timestamptz,
    }
}

diesel::table! {
    draft_user (client_id, user_id) {
        client_id -> Uuid,
        user_id -> Uuid,
        admitted_at -> Timestamptz,
    }
}
