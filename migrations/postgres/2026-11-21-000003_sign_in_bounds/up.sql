-- Bounds for what people and apps leave behind: what is over is found by when it was over, and deleted in batches.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000003', 1);

-- The e-mail address that the app expects, for the form of the sign-in page alone; NULL when it named none.
ALTER TABLE authorization_request ADD COLUMN login_hint text;

-- What a person allowed a client, of the events that are about that.
ALTER TABLE audit_event ADD COLUMN scopes text;

CREATE INDEX access_grant_revoked ON access_grant (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX personal_token_revoked ON personal_token (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX personal_token_end ON personal_token (expires_at) WHERE expires_at IS NOT NULL;
