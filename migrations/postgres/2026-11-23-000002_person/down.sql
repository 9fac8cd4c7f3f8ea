ALTER TABLE account DROP CONSTRAINT account_id_fkey, ADD COLUMN email_normalised text;

UPDATE account SET email_normalised = person.email_normalised FROM person WHERE person.id = account.id;

ALTER TABLE account
    ALTER COLUMN email_normalised SET NOT NULL,
    ADD CONSTRAINT account_email UNIQUE (email_normalised);

DO $$
DECLARE
    key record;
BEGIN
    FOR key IN
        SELECT conrelid::regclass AS owner, conname FROM pg_constraint
        WHERE contype = 'f' AND confrelid = 'person'::regclass AND conparentid = 0 ORDER BY conrelid
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I '
            'FOREIGN KEY (user_id) REFERENCES account (id) ON DELETE CASCADE', key.owner, key.conname);
    END LOOP;
END
$$;

DROP TABLE person;

DELETE FROM schema_compatibility WHERE version = '20261123000002';
