-- The older program knows neither public clients nor other resources.
DELETE FROM client WHERE is_public;
DELETE FROM access_grant WHERE resource <> 'api';
DELETE FROM authorization_code WHERE resource <> 'api';
DELETE FROM authorization_request WHERE resource <> 'api';

DO $$ BEGIN
ALTER TABLE access_grant DROP COLUMN rotated_at;
ALTER TABLE access_grant DROP COLUMN sealed_token;
ALTER TABLE access_grant DROP COLUMN replaced_token_hash;
ALTER TABLE access_grant DROP COLUMN newest_token_hash;
ALTER TABLE access_grant DROP COLUMN resource;
ALTER TABLE access_grant ADD CONSTRAINT access_grant_revocation_reason_check CHECK (revocation_reason IN
    ('code_replayed', 'operator', 'too_many_grants', 'person', 'client'));
ALTER TABLE authorization_code DROP COLUMN resource;
ALTER TABLE authorization_request DROP COLUMN resource;
ALTER TABLE client DROP COLUMN is_public;
END $$;

DELETE FROM schema_compatibility WHERE version = '20261123000007';
