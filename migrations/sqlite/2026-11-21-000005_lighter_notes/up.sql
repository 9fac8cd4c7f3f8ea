-- Notes of imports are added at the end of their stretch of the index; and when an import was last updated.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000005', 1);

-- The order in which it is taken back, backwards.
DROP INDEX import_change_order;
CREATE INDEX import_change_order ON import_change (import_id, kind <> 'label', change_number, sequence);

-- NULL before the first update. An import that runs and was not updated for long broke off.
ALTER TABLE import ADD COLUMN updated_at INTEGER;
CREATE INDEX import_running ON import (started_at) WHERE state = 'running';
