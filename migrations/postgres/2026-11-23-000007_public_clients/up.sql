-- Clients without a secret, refresh tokens that rotate, and the resource that an access token is for.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000007', 2);

DO $$ BEGIN
-- Of kind 'app', without secrets.
ALTER TABLE client ADD COLUMN is_public boolean NOT NULL DEFAULT false;

-- 'api' or 'mcp'.
ALTER TABLE authorization_request ADD COLUMN resource text NOT NULL DEFAULT 'api';
ALTER TABLE authorization_code ADD COLUMN resource text NOT NULL DEFAULT 'api';
ALTER TABLE access_grant ADD COLUMN resource text NOT NULL DEFAULT 'api';

-- The program knows the reasons; a list here would have to change with each new one. No client relies on it.
-- squawk-ignore ban-drop-constraint
ALTER TABLE access_grant DROP CONSTRAINT access_grant_revocation_reason_check;
-- NULL unless the refresh token rotates: refresh_token_hash is then the hash of what all its tokens share.
ALTER TABLE access_grant ADD COLUMN newest_token_hash bytea;
-- The token that the newest one replaced; these three are NULL until the first rotation.
ALTER TABLE access_grant ADD COLUMN replaced_token_hash bytea;
-- The newest token, encrypted under the replaced one.
ALTER TABLE access_grant ADD COLUMN sealed_token bytea;
ALTER TABLE access_grant ADD COLUMN rotated_at timestamptz;
END $$;
