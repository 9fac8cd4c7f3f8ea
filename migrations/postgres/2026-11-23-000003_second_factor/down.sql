DROP TABLE recovery_code;
DROP TABLE totp;
DROP TABLE pending_sign_in;

DO $$ BEGIN
-- The older program can read only sessions of this method.
DELETE FROM session WHERE method <> 'password';
ALTER TABLE audit_event DROP COLUMN device;
ALTER TABLE session DROP COLUMN first_seen_at;
ALTER TABLE session DROP COLUMN address;
ALTER TABLE session DROP COLUMN device;
ALTER TABLE session ADD CONSTRAINT session_method_check CHECK (method IN ('password'));
END $$;

DELETE FROM schema_compatibility WHERE version = '20261123000003';
