DROP TABLE profile_source;

DROP INDEX supplement_word;
DROP INDEX supplement_name;
DROP INDEX supplement_owner;

ALTER TABLE supplement
    DROP COLUMN search_text,
    DROP COLUMN owner_id;

DELETE FROM schema_compatibility WHERE version = '20261123000005';
