DO $$ BEGIN
ALTER TABLE client DROP COLUMN privacy_policy;
ALTER TABLE client DROP COLUMN home_page;
END $$;

DELETE FROM schema_compatibility WHERE version = '20261123000008';
