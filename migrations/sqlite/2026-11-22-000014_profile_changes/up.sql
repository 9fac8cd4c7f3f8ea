-- What an import changed in the profile and proposes to change, and whether the person asked it to overwrite.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000014', 1);

-- JSON: field, old and new value, whether it is applied. NULL if there is none.
ALTER TABLE import ADD COLUMN profile_changes TEXT;
-- Whether an upload overwrites profile fields that differ.
ALTER TABLE import ADD COLUMN overwrite_profile INTEGER NOT NULL DEFAULT 0;

CREATE INDEX import_profile_changes ON import (started_at) WHERE profile_changes IS NOT NULL;
