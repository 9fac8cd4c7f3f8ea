UPDATE import SET refusal = 'you cancelled the upload' WHERE cancelled_by = 'person';
UPDATE import SET refusal = 'whoever runs this server cancelled the upload' WHERE cancelled_by = 'operator';
ALTER TABLE import
    DROP COLUMN undone,
    DROP COLUMN left_out_labels,
    DROP COLUMN cancelled_by;
DELETE FROM import_change;
DROP INDEX import_change_order;
ALTER TABLE import_change
    DROP COLUMN replaced_by,
    DROP COLUMN version_left,
    DROP COLUMN version_found,
    ADD COLUMN change_number bigint NOT NULL,
    ADD COLUMN position      bigint,
    ADD COLUMN waiting       json;
CREATE INDEX import_change_order ON import_change (import_id, (kind <> 'label'), change_number, sequence);
CREATE INDEX import_change_before ON import_change (user_id, ((before ->> 'started_at')::bigint))
    WHERE kind = 'session' AND before IS NOT NULL;
CREATE INDEX import_change_waiting ON import_change (user_id, ((waiting ->> 'started_at')::bigint))
    WHERE waiting IS NOT NULL;
DELETE FROM schema_compatibility WHERE version = '20261122000015';
