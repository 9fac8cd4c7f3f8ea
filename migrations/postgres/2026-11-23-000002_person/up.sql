-- What must be unique over all people moves to a small table, person. Everything else of a person can then
-- lie on one node of an engine that distributes tables: person is copied to every node, account is
-- distributed by id.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000002', 2);

CREATE TABLE person (
    id               uuid PRIMARY KEY,
    email_normalised text NOT NULL CONSTRAINT person_email UNIQUE
);

INSERT INTO person (id, email_normalised) SELECT id, email_normalised FROM account;

DO $$
DECLARE
    key record;
BEGIN
    FOR key IN
        SELECT conrelid::regclass AS owner, conname FROM pg_constraint
        WHERE contype = 'f' AND confrelid = 'account'::regclass AND conparentid = 0 ORDER BY conrelid
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I '
            'FOREIGN KEY (user_id) REFERENCES person (id) ON DELETE CASCADE', key.owner, key.conname);
    END LOOP;
END
$$;

ALTER TABLE account
    DROP COLUMN email_normalised,
    ADD CONSTRAINT account_id_fkey FOREIGN KEY (id) REFERENCES person (id) ON DELETE CASCADE;
