DROP TABLE sandbox_person;

DELETE FROM schema_compatibility WHERE version = '20261123000011';
