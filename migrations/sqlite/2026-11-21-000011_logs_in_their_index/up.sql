-- Nothing to do: the table is its primary key's index (WITHOUT ROWID) and has the servings in it.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000011', 1);
