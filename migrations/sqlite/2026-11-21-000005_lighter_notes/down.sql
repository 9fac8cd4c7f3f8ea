DROP INDEX import_running;
ALTER TABLE import DROP COLUMN updated_at;
DROP INDEX import_change_order;
CREATE INDEX import_change_order ON import_change (import_id, kind = 'label', change_number DESC, sequence DESC);
DELETE FROM schema_compatibility WHERE version = '20261121000005';
