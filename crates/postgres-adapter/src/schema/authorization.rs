//! Table of the users of clients that the operator has not approved.

diesel::table! {
    draft_user (client_id, user_id) {
        client_id -> Uuid,
        user_id -> Uuid,
        admitted_at -> Timestamptz,
    }
}
