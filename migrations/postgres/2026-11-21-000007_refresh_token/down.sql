ALTER TABLE access_grant ADD CONSTRAINT access_grant_refresh_token UNIQUE (user_id, refresh_token_hash);
DROP TABLE refresh_token;
DELETE FROM schema_compatibility WHERE version = '20261121000007';
