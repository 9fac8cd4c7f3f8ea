//! Diesel's definitions of the tables whose statements both stores share. The column types are those of
//! [`crate::column`] where the stores differ.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

mod person;

pub use person::*;

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

table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::column::{Id, Instant};

    personal_token (user_id, id) {
        user_id -> Id,
        id -> Id,
        name -> Text,
        token_hash -> Binary,
        scopes -> Text,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
        last_used_at -> Nullable<Instant>,
        revoked_at -> Nullable<Instant>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Binary};
    use crate::column::{Id, Instant};

    totp (user_id) {
        user_id -> Id,
        secret -> Binary,
        last_step -> BigInt,
        set_at -> Instant,
    }
}

table! {
    use diesel::sql_types::Binary;
    use crate::column::Id;

    recovery_code (user_id, code_hash) {
        user_id -> Id,
        code_hash -> Binary,
    }
}

table! {
    use diesel::sql_types::{Binary, Bool, Text};
    use crate::column::{Id, Instant};

    pending_sign_in (visit_hash) {
        visit_hash -> Binary,
        user_id -> Id,
        step -> Text,
        is_known_browser -> Bool,
        expires_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::column::{Day, Id};

    sandbox_person (user_id) {
        user_id -> Id,
        story -> Text,
        owner_id -> Nullable<Id>,
        records_until -> Day,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::column::{Id, Instant};

    consent (user_id, client_id) {
        user_id -> Id,
        client_id -> Id,
        scopes -> Text,
        remembered_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{Nullable, Text};
    use crate::column::{Id, Instant};

    profile_source (user_id, field) {
        user_id -> Id,
        field -> Text,
        origin -> Text,
        import_id -> Nullable<Id>,
        at -> Instant,
    }
}

table! {
    use diesel::sql_types::{Binary, Bool, Nullable, Text};
    use crate::column::{Id, Instant};

    authorization_request (id) {
        id -> Id,
        client_id -> Id,
        redirect_uri -> Text,
        scopes -> Text,
        state -> Nullable<Text>,
        challenge -> Nullable<Binary>,
        force_consent -> Bool,
        visit_hash -> Binary,
        user_id -> Nullable<Id>,
        created_at -> Instant,
        decided_at -> Nullable<Instant>,
        login_hint -> Nullable<Text>,
        resource -> Text,
    }
}

table! {
    use diesel::sql_types::{Binary, Integer};
    use crate::column::{Id, Instant};

    outbox (id) {
        id -> Id,
        sealed -> Binary,
        queued_at -> Instant,
        due_at -> Instant,
        attempts -> Integer,
    }
}

table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::column::{Id, Instant};

    password_link (link_hash) {
        link_hash -> Binary,
        purpose -> Text,
        user_id -> Nullable<Id>,
        email -> Nullable<Text>,
        expires_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::column::{Id, Instant};

    audit_event (id) {
        id -> Id,
        at -> Instant,
        kind -> Text,
        actor -> Text,
        user_id -> Nullable<Id>,
        client_id -> Nullable<Id>,
        subject -> Nullable<Id>,
        event_count -> Nullable<BigInt>,
        address -> Nullable<Text>,
        scopes -> Nullable<Text>,
        device -> Nullable<Text>,
    }
}

table! {
    use diesel::sql_types::{Bool, Nullable, Text};
    use crate::column::{Id, Instant, Uris};

    client (id) {
        id -> Id,
        name -> Text,
        kind -> Text,
        redirect_uris -> Uris,
        scopes -> Text,
        allow_query_secrets -> Bool,
        require_pkce -> Bool,
        disabled_at -> Nullable<Instant>,
        created_at -> Instant,
        is_public -> Bool,
        home_page -> Nullable<Text>,
        privacy_policy -> Nullable<Text>,
        owner_id -> Nullable<Id>,
        is_draft -> Bool,
        contact -> Nullable<Text>,
        document -> Nullable<Text>,
    }
}

table! {
    use diesel::sql_types::{Binary, Nullable};
    use crate::column::{Id, Instant};

    client_secret (client_id, id) {
        client_id -> Id,
        id -> Id,
        secret_hash -> Binary,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
    }
}

table! {
    use crate::column::{Id, Instant};

    draft_user (client_id, user_id) {
        client_id -> Id,
        user_id -> Id,
        admitted_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::column::{Id, Instant};

    authorization_code (code_hash) {
        code_hash -> Binary,
        client_id -> Id,
        user_id -> Id,
        redirect_uri -> Text,
        scopes -> Text,
        challenge -> Nullable<Binary>,
        issued_at -> Instant,
        expires_at -> Instant,
        redeemed_grant_id -> Nullable<Id>,
        redeemed_at -> Nullable<Instant>,
        resource -> Text,
    }
}

table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::column::{Id, Instant};

    access_grant (user_id, id) {
        user_id -> Id,
        id -> Id,
        client_id -> Id,
        scopes -> Text,
        refresh_token_hash -> Binary,
        created_at -> Instant,
        last_used_at -> Nullable<Instant>,
        revoked_at -> Nullable<Instant>,
        revocation_reason -> Nullable<Text>,
        last_used_address -> Nullable<Text>,
        last_used_agent -> Nullable<Text>,
        newest_token_hash -> Nullable<Binary>,
        resource -> Text,
    }
}

table! {
    use diesel::sql_types::Binary;
    use crate::column::Id;

    /// Only on `PostgreSQL`: a unique index over all partitions of `access_grant` is impossible.
    refresh_token (token_hash) {
        token_hash -> Binary,
        user_id -> Id,
    }
}

table! {
    use diesel::sql_types::{Binary, Nullable, Text};
    use crate::column::{Id, Instant};

    session (user_id, id) {
        user_id -> Id,
        id -> Id,
        token_hash -> Binary,
        method -> Text,
        authenticated_at -> Instant,
        last_seen_at -> Instant,
        device -> Nullable<Text>,
        address -> Nullable<Text>,
        first_seen_at -> Nullable<Instant>,
    }
}

table! {
    use diesel::sql_types::{Binary, Bool, Nullable, Text};
    use crate::column::{Id, Instant};

    webhook_endpoint (id) {
        id -> Id,
        client_id -> Id,
        url -> Text,
        contact -> Nullable<Text>,
        status -> Text,
        disabled_at -> Nullable<Instant>,
        is_reviewed -> Bool,
        secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_secret_expires_at -> Nullable<Instant>,
        created_at -> Instant,
    }
}

table! {
    use diesel::sql_types::{BigInt, Integer, Nullable, Text};
    use crate::column::{Id, Instant};

    webhook_event (user_id, endpoint_id, kind) {
        user_id -> Id,
        endpoint_id -> Id,
        kind -> Text,
        number -> BigInt,
        announced -> BigInt,
        occurred_at -> Instant,
        failed -> Integer,
        due_at -> Nullable<Instant>,
    }
}

table! {
    use diesel::sql_types::{BigInt, Nullable, Text};
    use crate::column::{Id, Instant};

    webhook_delivery (id) {
        id -> Id,
        endpoint_id -> Id,
        user_id -> Id,
        kind -> Text,
        number -> BigInt,
        announced_before -> BigInt,
        occurred_at -> Instant,
        at -> Instant,
        milliseconds -> BigInt,
        result -> Text,
        next_attempt_at -> Nullable<Instant>,
    }
}

joinable!(client_secret -> client (client_id));
joinable!(access_grant -> client (client_id));
joinable!(access_grant -> account (user_id));
joinable!(personal_token -> account (user_id));
allow_tables_to_appear_in_same_query!(
    access_grant,
    account,
    client,
    client_secret,
    personal_token,
    webhook_endpoint
);
allow_tables_to_appear_in_same_query!(recovery_code, totp);
