-- Passkeys, and the ceremonies in which they are added and used.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000004', 3);

CREATE TABLE passkey (
    user_id            BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id                 BLOB    NOT NULL CHECK (length(id) = 16),
    name               TEXT    NOT NULL,
    credential_id      BLOB    NOT NULL CHECK (length(credential_id) BETWEEN 1 AND 1023),
    -- A COSE key.
    public_key         BLOB    NOT NULL,
    sign_count         INTEGER NOT NULL,
    is_backup_eligible INTEGER NOT NULL,
    is_backed_up       INTEGER NOT NULL,
    -- Names separated by spaces.
    transports         TEXT    NOT NULL,
    created_at         INTEGER NOT NULL,
    -- NULL if never used.
    last_used_at       INTEGER,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX passkey_credential ON passkey (credential_id);

-- Pending ceremonies, found by the hash of their challenge.
CREATE TABLE passkey_ceremony (
    challenge_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(challenge_hash) = 32),
    purpose        TEXT    NOT NULL,
    -- Hash of the cookie of the browser that began it.
    browser_hash   BLOB    NOT NULL CHECK (length(browser_hash) = 32),
    expires_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX passkey_ceremony_expiry ON passkey_ceremony (expires_at);
