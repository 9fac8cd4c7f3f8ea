-- Notes of imports: two indexes where there were three, and no look-up of the import for each note.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000005', 1);

-- By record first: what others noted of a record, and what one import did.
ALTER TABLE import_change
    DROP CONSTRAINT import_change_pkey,
    DROP CONSTRAINT import_change_import_id_fkey,
    ADD PRIMARY KEY (record_id, kind, import_id);
DROP INDEX import_change_record;

-- In the order of taking back, backwards: what an import notes is then added at the end of its stretch.
DROP INDEX import_change_order;
CREATE INDEX import_change_order ON import_change (import_id, (kind <> 'label'), change_number, sequence);

-- Notes go with their import, whoever deletes it. As a foreign key this would cost each note a look-up.
CREATE FUNCTION restwell_forget_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM import_change WHERE import_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;
CREATE TRIGGER import_notes AFTER DELETE ON import REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION restwell_forget_notes();

-- When the row was last updated; NULL before. An import that runs and was not for long broke off.
ALTER TABLE import ADD COLUMN updated_at timestamptz;
CREATE INDEX import_running ON import (started_at) WHERE state = 'running';
