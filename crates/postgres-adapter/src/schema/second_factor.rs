//! Tables of second factors.

diesel::table! {
    pending_sign_in (visit_hash) {
        visit_hash -> Binary,
        user_id -> Uuid,
        step -> Text,
        is_known_browser -> Bool,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    totp (user_id) {
        user_id -> Uuid,
        secret -> Binary,
        last_step -> BigInt,
        set_at -> Timestamptz,
    }
}

diesel::table! {
    recovery_code (user_id, code_hash) {
        user_id -> Uuid,
        code_hash -> Binary,
    }
}
