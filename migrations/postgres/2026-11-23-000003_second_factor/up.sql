-- The second factor of sign-ins, and the browser and network of sessions.

-- An older program would open sessions without asking for the second factor.
INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000003', 3);

DO $$ BEGIN
-- The program knows the methods; a list here would have to change with each new one. No client relies on it.
-- squawk-ignore ban-drop-constraint
ALTER TABLE session DROP CONSTRAINT session_method_check;
-- Names of browser and platform, as `firefox/android`.
ALTER TABLE session ADD COLUMN device text;
-- An IPv4 address, or an IPv6 network of 64 bits.
ALTER TABLE session ADD COLUMN address text;
-- NULL for sessions of older programs, which began with authenticated_at.
ALTER TABLE session ADD COLUMN first_seen_at timestamptz;
ALTER TABLE audit_event ADD COLUMN device text;
END $$;

-- Sign-ins whose password was correct and whose second factor is still missing.
CREATE TABLE pending_sign_in (
    visit_hash       bytea       PRIMARY KEY CHECK (octet_length(visit_hash) = 32),
    user_id          uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    step             text        NOT NULL,
    is_known_browser boolean     NOT NULL,
    expires_at       timestamptz NOT NULL
);
CREATE INDEX pending_sign_in_user ON pending_sign_in (user_id);
CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);

-- Authenticator apps.
CREATE TABLE totp (
    user_id   uuid        PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    -- Encrypted under keys.encryption_key and bound to user_id.
    secret    bytea       NOT NULL,
    -- Latest step of 30 seconds whose code was used.
    last_step bigint      NOT NULL,
    set_at    timestamptz NOT NULL
);

-- Unused recovery codes.
CREATE TABLE recovery_code (
    user_id   uuid  NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    PRIMARY KEY (user_id, code_hash)
);

DO $$
BEGIN
-- Nested, because PostgreSQL without Citus cannot plan the inner condition.
IF to_regclass('pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'account'::regclass) THEN
        PERFORM create_distributed_table('totp', 'user_id', colocate_with => 'account');
        PERFORM create_distributed_table('recovery_code', 'user_id', colocate_with => 'account');
    END IF;
END IF;
END
$$;
