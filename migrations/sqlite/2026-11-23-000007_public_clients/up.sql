-- Clients without a secret, refresh tokens that rotate, and the resource that an access token is for.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000007', 1);

-- Of kind 'app', without secrets.
ALTER TABLE client ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0;

-- 'api' or 'mcp'.
ALTER TABLE authorization_request ADD COLUMN resource TEXT NOT NULL DEFAULT 'api';
ALTER TABLE authorization_code ADD COLUMN resource TEXT NOT NULL DEFAULT 'api';
ALTER TABLE access_grant ADD COLUMN resource TEXT NOT NULL DEFAULT 'api';

-- NULL unless the refresh token rotates: refresh_token_hash is then the hash of what all its tokens share.
ALTER TABLE access_grant ADD COLUMN newest_token_hash BLOB;
-- The token that the newest one replaced; these three are NULL until the first rotation.
ALTER TABLE access_grant ADD COLUMN replaced_token_hash BLOB;
-- The newest token, encrypted under the replaced one.
ALTER TABLE access_grant ADD COLUMN sealed_token BLOB;
ALTER TABLE access_grant ADD COLUMN rotated_at INTEGER;
