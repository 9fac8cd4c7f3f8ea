//! Diesel's definitions of the tables whose statements both stores share. The column types are those of
//! [`crate::column`] where the stores differ.

use diesel::table;

table! {
    use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
    use crate::column::{Id, Instant};

    passkey (user_id, id) {
        user_id -> Id,
        id -> Id,
        name -> Text,
        credential_id -> Binary,
        public_key -> Binary,
        sign_count -> BigInt,
        is_backup_eligible -> Bool,
        is_backed_up -> Bool,
        transports -> Text,
        created_at -> Instant,
        last_used_at -> Nullable<Instant>,
    }
}

table! {
    use diesel::sql_types::{Binary, Text};
    use crate::column::Instant;

    passkey_ceremony (challenge_hash) {
        challenge_hash -> Binary,
        purpose -> Text,
        browser_hash -> Binary,
        expires_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{Binary, Nullable};
    use crate::column::{Id, Instant};

    signing_key (id) {
        id -> Id,
        public_key -> Binary,
        private_key -> Binary,
        created_at -> Instant,
        retired_at -> Nullable<Instant>,
    }
}
