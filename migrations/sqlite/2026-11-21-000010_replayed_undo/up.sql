-- Undoing that lets the other imports do again what they did, whatever the order in which imports are undone.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000010', 1);

-- The place among all that imports did to sessions of the person, where an undoing wrote the note anew; else it is the
-- sequence.
ALTER TABLE import_change ADD COLUMN position INTEGER;
-- A JSON object: a session that the import brings and whose place another one has; the record is as it was before.
ALTER TABLE import_change ADD COLUMN waiting TEXT;

-- Finds what is hidden at some time. What an import only made is in neither.
CREATE INDEX import_change_before ON import_change (user_id, json_extract(before, '$.session.started_at'))
    WHERE kind = 'session' AND before IS NOT NULL;
CREATE INDEX import_change_waiting ON import_change (user_id, json_extract(waiting, '$.session.started_at'))
    WHERE waiting IS NOT NULL;
