//! Tables of second factors.

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
