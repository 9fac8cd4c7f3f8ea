DROP INDEX personal_token_end;
DROP INDEX personal_token_revoked;
DROP INDEX access_grant_revoked;
ALTER TABLE audit_event DROP COLUMN scopes;
ALTER TABLE authorization_request DROP COLUMN login_hint;
DELETE FROM schema_compatibility WHERE version = '20261121000003';
