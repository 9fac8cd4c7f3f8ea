DROP INDEX import_running;
ALTER TABLE import DROP COLUMN updated_at;
DROP TRIGGER import_notes ON import;
DROP FUNCTION restwell_forget_notes();
DROP INDEX import_change_order;
ALTER TABLE import_change DROP CONSTRAINT import_change_pkey, ADD PRIMARY KEY (import_id, kind, record_id);
CREATE INDEX import_change_record ON import_change (kind, record_id, change_number);
CREATE INDEX import_change_order ON import_change
    (import_id, (kind = 'label'), change_number DESC, sequence DESC);
-- Before it is referred to again: of imports that are gone there are none.
ALTER TABLE import_change ADD FOREIGN KEY (import_id) REFERENCES import (id) ON DELETE CASCADE;
DELETE FROM schema_compatibility WHERE version = '20261121000005';
