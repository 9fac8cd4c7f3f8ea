-- A page's logs are read from the index alone, in its order: no look into the table for the servings, and no sort after it.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000011', 1);

ALTER TABLE intake_log
    DROP CONSTRAINT intake_log_pkey,
    ADD PRIMARY KEY (user_id, supplement_id, created_at, id) INCLUDE (servings);
