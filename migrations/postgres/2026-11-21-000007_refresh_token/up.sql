-- Refresh tokens by their hash alone: one index tells whether anybody's has a hash, where a look-up into all partitions
-- of access_grant took a quarter of a redemption.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000007', 1);

CREATE TABLE refresh_token (
    token_hash bytea NOT NULL PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    -- Whose it is, so that it goes with the person.
    user_id    uuid  NOT NULL
);

-- Those that there are. In the order of the index, which is filled without going back and forth.
INSERT INTO refresh_token (token_hash, user_id)
SELECT refresh_token_hash, user_id FROM access_grant ORDER BY refresh_token_hash
ON CONFLICT DO NOTHING;

CREATE INDEX refresh_token_user ON refresh_token (user_id);
-- After the rows: until the migration ends, accounts are not written.
ALTER TABLE refresh_token ADD FOREIGN KEY (user_id) REFERENCES account (id) ON DELETE CASCADE;

-- No two grants of anybody have one hash now, so that this index told nothing more. What it found,
-- access_grant_refresh_token_any_user finds as quickly, in the one partition of a person as well.
ALTER TABLE access_grant DROP CONSTRAINT access_grant_refresh_token;
