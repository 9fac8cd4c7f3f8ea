UPDATE import SET refusal = 'you cancelled the upload' WHERE cancelled_by = 'person';
UPDATE import SET refusal = 'whoever runs this server cancelled the upload' WHERE cancelled_by = 'operator';
ALTER TABLE import DROP COLUMN undone;
ALTER TABLE import DROP COLUMN left_out_labels;
ALTER TABLE import DROP COLUMN cancelled_by;
DELETE FROM import_change;
DROP INDEX import_change_order;
ALTER TABLE import_change DROP COLUMN replaced_by;
ALTER TABLE import_change DROP COLUMN version_left;
ALTER TABLE import_change DROP COLUMN version_found;
ALTER TABLE import_change ADD COLUMN change_number INTEGER NOT NULL DEFAULT -1;
ALTER TABLE import_change ADD COLUMN position INTEGER;
ALTER TABLE import_change ADD COLUMN waiting TEXT;
CREATE INDEX import_change_order ON import_change (import_id, kind <> 'label', change_number, sequence);
CREATE INDEX import_change_before ON import_change (user_id, json_extract(before, '$.session.started_at'))
    WHERE kind = 'session' AND before IS NOT NULL;
CREATE INDEX import_change_waiting ON import_change (user_id, json_extract(waiting, '$.session.started_at'))
    WHERE waiting IS NOT NULL;
DELETE FROM schema_compatibility WHERE version = '20261122000015';
