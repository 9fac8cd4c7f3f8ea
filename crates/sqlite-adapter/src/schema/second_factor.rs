//! Tables of second factors and passkeys.

use diesel::table;

table! {
    totp (user_id) {
        user_id -> Binary,
        secret -> Binary,
        last_step -> BigInt,
        set_at -> BigInt,
    }
}

table! {
    recovery_code (user_id, code_hash) {
        user_id -> Binary,
        code_hash -> Binary,
    }
}

table! {
    passkey (user_id, id) {
        user_id -> Binary,
        id -> Binary,
        name -> Text,
        credential_id -> Binary,
        public_key -> Binary,
        sign_count -> BigInt,
        is_backup_eligible -> Bool,
        is_backed_up -> Bool,
        transports -> Text,
        created_at -> BigInt,
        last_used_at -> Nullable<BigInt>,
    }
}

table! {
    passkey_ceremony (challenge_hash) {
        challenge_hash -> Binary,
        purpose -> Text,
        browser_hash -> Binary,
        expires_at -> BigInt,
    }
}
