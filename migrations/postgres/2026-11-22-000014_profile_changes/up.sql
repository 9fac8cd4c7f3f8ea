-- What an import changed in the profile and proposes to change, and whether the person asked it to overwrite.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000014', 1);

ALTER TABLE import
    -- Field, old and new value, whether it is applied. NULL if there is none.
    ADD COLUMN profile_changes   jsonb,
    -- Whether an upload overwrites profile fields that differ.
    ADD COLUMN overwrite_profile boolean NOT NULL DEFAULT FALSE;

CREATE INDEX import_profile_changes ON import (started_at) WHERE profile_changes IS NOT NULL;
