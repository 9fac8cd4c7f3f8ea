-- Synthetic people, for developers of apps.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000011', 1);

CREATE TABLE sandbox_person (
    user_id       BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    story         TEXT NOT NULL,
    -- The developer, whose erasure erases the person too; NULL for the operator.
    owner_id      BLOB CHECK (owner_id IS NULL OR length(owner_id) = 16),
    -- Last day that has records, in the person's time zone.
    records_until TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sandbox_person_owner ON sandbox_person (owner_id);
