-- Synthetic people, for developers of apps.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000011', 2);

CREATE TABLE sandbox_person (
    user_id       uuid PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    story         text NOT NULL,
    -- The developer, whose erasure erases the person too; NULL for the operator.
    owner_id      uuid,
    -- Last day that has records, in the person's time zone.
    records_until date NOT NULL
);
CREATE INDEX sandbox_person_owner ON sandbox_person (owner_id);
