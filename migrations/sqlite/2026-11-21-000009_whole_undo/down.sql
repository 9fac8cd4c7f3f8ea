DROP INDEX import_undoing;
ALTER TABLE import DROP COLUMN recording_start;
ALTER TABLE import DROP COLUMN tries;
ALTER TABLE import DROP COLUMN bytes_checked;
ALTER TABLE import DROP COLUMN taken_back_at;
DELETE FROM schema_compatibility WHERE version = '20261121000009';
