-- Jobs that one replica at a time does, such as the housekeeping: who does each, until when, and when it is due again.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000006', 1);

CREATE TABLE job_lease (
    job        text        PRIMARY KEY,
    -- The run of a program that took it last; drawn at its start, and of no meaning afterwards.
    holder     uuid        NOT NULL,
    -- Until when nobody else may take it.
    held_until timestamptz NOT NULL,
    due_at     timestamptz NOT NULL
) WITH (fillfactor = 50);
