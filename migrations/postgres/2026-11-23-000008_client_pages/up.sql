-- Web pages of an app, which the consent page links to.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000008', 2);

DO $$ BEGIN
ALTER TABLE client ADD COLUMN home_page text;
ALTER TABLE client ADD COLUMN privacy_policy text;
END $$;
