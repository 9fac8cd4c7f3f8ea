DELETE FROM schema_compatibility WHERE version = '20261123000002';
