-- Web pages of an app, which the consent page links to.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000008', 1);

ALTER TABLE client ADD COLUMN home_page TEXT;
ALTER TABLE client ADD COLUMN privacy_policy TEXT;
