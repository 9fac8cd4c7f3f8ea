DROP TABLE recovery_code;
DROP TABLE totp;
DROP TABLE pending_sign_in;

-- The older program can read only sessions of this method.
DELETE FROM session WHERE method <> 'password';
ALTER TABLE audit_event DROP COLUMN device;
ALTER TABLE session DROP COLUMN first_seen_at;
ALTER TABLE session DROP COLUMN address;
ALTER TABLE session DROP COLUMN device;

DELETE FROM schema_compatibility WHERE version = '20261123000003';
