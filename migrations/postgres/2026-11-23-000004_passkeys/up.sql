-- Passkeys, and the ceremonies in which they are added and used.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000004', 3);

-- Found by the credential id at sign-in, which is unique over all people; like sessions, not distributed on Citus.
CREATE TABLE passkey (
    user_id            uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    id                 uuid        NOT NULL,
    name               text        NOT NULL,
    credential_id      bytea       NOT NULL CONSTRAINT passkey_credential UNIQUE
                                   CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    -- A COSE key.
    public_key         bytea       NOT NULL,
    sign_count         bigint      NOT NULL,
    is_backup_eligible boolean     NOT NULL,
    is_backed_up       boolean     NOT NULL,
    -- Names separated by spaces.
    transports         text        NOT NULL,
    created_at         timestamptz NOT NULL,
    -- NULL if never used.
    last_used_at       timestamptz,
    PRIMARY KEY (user_id, id)
);

-- Pending ceremonies, found by the hash of their challenge.
CREATE TABLE passkey_ceremony (
    challenge_hash bytea       PRIMARY KEY CHECK (octet_length(challenge_hash) = 32),
    purpose        text        NOT NULL CHECK (purpose IN ('registration', 'sign_in')),
    -- Hash of the cookie of the browser that began it.
    browser_hash   bytea       NOT NULL CHECK (octet_length(browser_hash) = 32),
    expires_at     timestamptz NOT NULL
);

CREATE INDEX passkey_ceremony_expiry ON passkey_ceremony (expires_at);
