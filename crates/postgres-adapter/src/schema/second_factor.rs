//! Tables of second factors and passkeys.

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

diesel::table! {
    passkey (user_id, id) {
        user_id -> Uuid,
        id -> Uuid,
        name -> Text,
        credential_id -> Binary,
        public_key -> Binary,
        sign_count -> BigInt,
        is_backup_eligible -> Bool,
        is_backed_up -> Bool,
        transports -> Text,
        created_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    passkey_ceremony (challenge_hash) {
        challenge_hash -> Binary,
        purpose -> Text,
        browser_hash -> Binary,
        expires_at -> Timestamptz,
    }
}
