DROP INDEX import_profile_changes;
ALTER TABLE import DROP COLUMN overwrite_profile;
ALTER TABLE import DROP COLUMN profile_changes;
DELETE FROM schema_compatibility WHERE version = '20261122000014';
