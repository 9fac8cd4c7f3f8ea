-- Notes of imports identify the version that the import left, and an import says who cancelled it and what undoing it did.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000015', 1);

-- Earlier notes do not name the version that they left: what they are about stays.
DELETE FROM import_change;

DROP INDEX import_change_waiting;
DROP INDEX import_change_before;
DROP INDEX import_change_order;
ALTER TABLE import_change
    DROP COLUMN waiting,
    DROP COLUMN position,
    DROP COLUMN change_number,
    -- Hashes of the version that the import found, and of the one that it left; NULL where there was, or is, no record.
    ADD COLUMN version_found bytea,
    ADD COLUMN version_left  bytea,
    -- The session that took the place of a removed one.
    ADD COLUMN replaced_by   uuid;
-- The order of undoing, backwards: logs before the labels that they refer to.
CREATE INDEX import_change_order ON import_change (import_id, (kind <> 'label'), sequence);

ALTER TABLE import
    -- NULL unless it was cancelled.
    ADD COLUMN cancelled_by    text CHECK (cancelled_by IN ('person', 'operator')),
    -- Whether labels of supplements were left out, because the file is an upload.
    ADD COLUMN left_out_labels boolean NOT NULL DEFAULT FALSE,
    -- What undoing it did: counts, and the records that were kept. NULL if it never was undone.
    ADD COLUMN undone          jsonb;

UPDATE import SET cancelled_by = 'person', refusal = NULL WHERE refusal = 'you cancelled the upload';
UPDATE import SET cancelled_by = 'operator', refusal = NULL
WHERE refusal = 'whoever runs this server cancelled the upload';
