-- Nothing to do here: one file has one index that spans the grants of everybody, where PostgreSQL got a table.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000007', 1);
