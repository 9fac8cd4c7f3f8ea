-- The older program would let everyone use a draft.
DELETE FROM client WHERE is_draft;

DROP TABLE draft_user;

DO $$ BEGIN
DROP INDEX access_grant_of_client;
DROP INDEX client_owner;
ALTER TABLE client DROP CONSTRAINT client_draft_check;
ALTER TABLE client DROP CONSTRAINT client_owner_id_fkey;
ALTER TABLE client DROP COLUMN contact;
ALTER TABLE client DROP COLUMN is_draft;
ALTER TABLE client DROP COLUMN owner_id;
END $$;

DELETE FROM schema_compatibility WHERE version = '20261123000010';
