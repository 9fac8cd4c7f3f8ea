-- Older programs would take their stored ids for client_ids.
DELETE FROM client WHERE document IS NOT NULL;
ALTER TABLE client DROP COLUMN document;

DELETE FROM schema_compatibility WHERE version = '20261123000012';
