-- Undoing that lets the other imports do again what they did, whatever the order in which imports are undone.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000010', 1);

ALTER TABLE import_change
    -- The place among all that imports did to sessions of the person, where an undoing wrote the note anew; else it is the
    -- sequence.
    ADD COLUMN position bigint,
    -- A session that the import brings and whose place another one has: the record is as it was before.
    ADD COLUMN waiting  json;

-- Finds what is hidden at some time. What an import only made is in neither.
CREATE INDEX import_change_before ON import_change (user_id, ((before ->> 'started_at')::bigint))
    WHERE kind = 'session' AND before IS NOT NULL;
CREATE INDEX import_change_waiting ON import_change (user_id, ((waiting ->> 'started_at')::bigint))
    WHERE waiting IS NOT NULL;
