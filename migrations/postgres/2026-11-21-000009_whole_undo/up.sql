-- Undoing that says whether it is finished, and uploads that say how far they are checked and give up in the end.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000009', 1);

ALTER TABLE import
    -- Of one that is undone: when the last of it was taken back; NULL while something is left to take back.
    ADD COLUMN taken_back_at   timestamptz,
    -- How much of the file the reading before the first record was stored has passed.
    ADD COLUMN bytes_checked   bigint NOT NULL DEFAULT 0,
    -- Of an upload: how many servers began to read it and were not heard of again.
    ADD COLUMN tries           integer NOT NULL DEFAULT 0,
    -- Of a recording that does not say so itself: when it began, with its offset (RFC 3339).
    ADD COLUMN recording_start text;

UPDATE import SET taken_back_at = coalesce(ended_at, started_at)
WHERE state = 'undone' AND NOT EXISTS (SELECT FROM import_change c WHERE c.import_id = import.id);

-- Those whose undoing is not finished: hardly ever any.
CREATE INDEX import_undoing ON import (started_at) WHERE state = 'undone' AND taken_back_at IS NULL;
