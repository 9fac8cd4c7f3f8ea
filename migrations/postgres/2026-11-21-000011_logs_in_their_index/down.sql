ALTER TABLE intake_log
    DROP CONSTRAINT intake_log_pkey,
    ADD PRIMARY KEY (user_id, supplement_id, created_at, id);

DELETE FROM schema_compatibility WHERE version = '20261121000011';
