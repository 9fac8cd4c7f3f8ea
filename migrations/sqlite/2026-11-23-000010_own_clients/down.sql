-- The older program would let everyone use a draft.
DELETE FROM client WHERE is_draft = 1;

DROP TABLE draft_user;
DROP TRIGGER client_owner_erased;
DROP INDEX client_owner;

ALTER TABLE client DROP COLUMN contact;
ALTER TABLE client DROP COLUMN is_draft;
ALTER TABLE client DROP COLUMN owner_id;

DELETE FROM schema_compatibility WHERE version = '20261123000010';
