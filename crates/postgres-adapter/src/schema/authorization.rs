//! Table of the users of clients that the operator has not approved, and the columns of remembered consents
//! that show whether a client is used.

diesel::table! {
    consent (user_id, client_id) {
        user_id -> Uuid,
        client_id -> Uuid,
    }
}

diesel::table! {
    draft_user (client_id, user_id) {
        client_id -> Uuid,
        user_id -> Uuid,
        admitted_at -> Timestamptz,
    }
}
