DROP TABLE client_usage;

DELETE FROM schema_compatibility WHERE version = '20261124000001';
