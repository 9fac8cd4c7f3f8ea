DELETE FROM schema_compatibility WHERE version = '20261121000011';
