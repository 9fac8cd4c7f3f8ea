-- The second factor of sign-ins, and the browser and network of sessions.

-- An older program would open sessions without asking for the second factor.
INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000003', 3);

-- Names of browser and platform, as `firefox/android`.
ALTER TABLE session ADD COLUMN device TEXT;
-- An IPv4 address, or an IPv6 network of 64 bits.
ALTER TABLE session ADD COLUMN address TEXT;
-- NULL for sessions of older programs, which began with authenticated_at.
ALTER TABLE session ADD COLUMN first_seen_at INTEGER;
ALTER TABLE audit_event ADD COLUMN device TEXT;

-- Sign-ins whose password was correct and whose second factor is still missing.
CREATE TABLE pending_sign_in (
    visit_hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(visit_hash) = 32),
    user_id          BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    step             TEXT    NOT NULL,
    is_known_browser INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_sign_in_user ON pending_sign_in (user_id);
CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);

-- Authenticator apps.
CREATE TABLE totp (
    user_id   BLOB    NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- Encrypted under keys.encryption_key and bound to user_id.
    secret    BLOB    NOT NULL,
    -- Latest step of 30 seconds whose code was used.
    last_step INTEGER NOT NULL,
    set_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Unused recovery codes.
CREATE TABLE recovery_code (
    user_id   BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    code_hash BLOB NOT NULL CHECK (length(code_hash) = 32),
    PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;
