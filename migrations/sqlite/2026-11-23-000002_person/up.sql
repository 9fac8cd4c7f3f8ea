-- PostgreSQL moves email addresses to a separate table here. SQLite has one node, so only the version is
-- recorded.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000002', 1);
