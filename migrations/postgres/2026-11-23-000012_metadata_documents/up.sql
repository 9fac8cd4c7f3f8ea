-- Apps that are registered from a document at their client_id, which is a URL.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000012', 1);

-- JSON: "url" of the document, and "fresh_until" in microseconds; NULL for other clients.
ALTER TABLE client ADD COLUMN document text;
