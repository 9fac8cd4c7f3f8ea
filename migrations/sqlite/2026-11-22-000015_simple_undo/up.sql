-- Notes of imports identify the version that the import left, and an import says who cancelled it and what undoing it did.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000015', 1);

-- Earlier notes do not name the version that they left: what they are about stays.
DELETE FROM import_change;

DROP INDEX import_change_waiting;
DROP INDEX import_change_before;
DROP INDEX import_change_order;
ALTER TABLE import_change DROP COLUMN waiting;
ALTER TABLE import_change DROP COLUMN position;
ALTER TABLE import_change DROP COLUMN change_number;
-- Hashes of the version that the import found, and of the one that it left; NULL where there was, or is, no record.
ALTER TABLE import_change ADD COLUMN version_found BLOB;
ALTER TABLE import_change ADD COLUMN version_left BLOB;
-- The session that took the place of a removed one.
ALTER TABLE import_change ADD COLUMN replaced_by BLOB;
-- The order of undoing, backwards: logs before the labels that they refer to.
CREATE INDEX import_change_order ON import_change (import_id, kind <> 'label', sequence);

-- 'person' or 'operator'; NULL unless it was cancelled.
ALTER TABLE import ADD COLUMN cancelled_by TEXT;
-- Whether labels of supplements were left out, because the file is an upload.
ALTER TABLE import ADD COLUMN left_out_labels INTEGER NOT NULL DEFAULT 0;
-- What undoing it did (JSON): counts, and the records that were kept. NULL if it never was undone.
ALTER TABLE import ADD COLUMN undone TEXT;

UPDATE import SET cancelled_by = 'person', refusal = NULL WHERE refusal = 'you cancelled the upload';
UPDATE import SET cancelled_by = 'operator', refusal = NULL
WHERE refusal = 'whoever runs this server cancelled the upload';
