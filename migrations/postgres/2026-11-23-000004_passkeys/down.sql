DROP TABLE passkey_ceremony;
DROP TABLE passkey;

DELETE FROM schema_compatibility WHERE version = '20261123000004';
