DROP INDEX import_change_waiting;
DROP INDEX import_change_before;
ALTER TABLE import_change
    DROP COLUMN waiting,
    DROP COLUMN position;
DELETE FROM schema_compatibility WHERE version = '20261121000010';
