DROP INDEX access_grant_live;
CREATE INDEX access_grant_client ON access_grant (user_id, client_id);
DELETE FROM schema_compatibility WHERE version = '20261121000007';
