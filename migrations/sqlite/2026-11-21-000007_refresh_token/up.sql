-- A redemption counts the live grants of its client and person, and steps over those that were revoked no more. (One file
-- has one index of all refresh tokens already, where PostgreSQL got a table.)

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000007', 1);

DROP INDEX access_grant_client;
CREATE INDEX access_grant_live ON access_grant (user_id, client_id) WHERE revoked_at IS NULL;
