DROP TABLE profile_source;

DROP TRIGGER supplement_owner_erased;
DROP INDEX supplement_name;
DROP INDEX supplement_owner;

ALTER TABLE supplement DROP COLUMN search_text;
ALTER TABLE supplement DROP COLUMN owner_id;

DELETE FROM schema_compatibility WHERE version = '20261123000005';
