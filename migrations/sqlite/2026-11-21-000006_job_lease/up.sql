-- Jobs that one process at a time does, such as the housekeeping: who does each, until when, and when it is due again.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000006', 1);

CREATE TABLE job_lease (
    job        TEXT    NOT NULL PRIMARY KEY,
    -- The run of a program that took it last; drawn at its start, and of no meaning afterwards.
    holder     BLOB    NOT NULL CHECK (length(holder) = 16),
    -- Until when nobody else may take it.
    held_until INTEGER NOT NULL,
    due_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
