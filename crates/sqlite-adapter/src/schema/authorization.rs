//! Table of the users of clients that the operator has not approved.

diesel::table! {
    draft_user (client_id, user_id) {
        client_id -> Binary,
        user_id -> Binary,
        admitted_at -> BigInt,
    }
}
