DROP INDEX import_undoing;
ALTER TABLE import
    DROP COLUMN recording_start,
    DROP COLUMN tries,
    DROP COLUMN bytes_checked,
    DROP COLUMN taken_back_at;
DELETE FROM schema_compatibility WHERE version = '20261121000009';
