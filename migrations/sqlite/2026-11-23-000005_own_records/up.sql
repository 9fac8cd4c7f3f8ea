-- Supplements of a person's own, the search of the catalogue, and where the values of a profile came from.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000005', 1);

-- The key of a person's own product begins with their id (domain::supplement::CatalogueKey). In hexadecimal, as hex()
-- writes it: SQLite reads it back only since 3.41, which distributions do not have yet.
ALTER TABLE supplement ADD COLUMN owner_id TEXT GENERATED ALWAYS AS (
    CASE catalogue_source WHEN 'own' THEN upper(replace(substr(catalogue_key, 1, 36), '-', '')) END
) VIRTUAL;

-- What domain::supplement::SearchWords does to a query: lower case, blanks instead of punctuation, and a blank before
-- each word.
ALTER TABLE supplement ADD COLUMN search_text TEXT GENERATED ALWAYS AS (
    substr(' ' || lower(
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
        name || ' ' || brand, '-', ' '), ',', ' '), '.', ' '), ';', ' '), ':', ' '), '/', ' '), '\', ' '), '(', ' ')
        , ')', ' '), '[', ' '), ']', ' '), '''', ' '), '"', ' '), '&', ' '), '+', ' ')
        , '*', ' '), '%', ' '), '#', ' '), '!', ' '), '?', ' '), '_', ' '), '|', ' ')
    ), 1, 300)
) VIRTUAL;

CREATE INDEX supplement_owner ON supplement (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX supplement_name ON supplement (search_text, id) WHERE is_current = 1 AND owner_id IS NULL;

-- A foreign key cannot be dropped again without writing the table anew.
CREATE TRIGGER supplement_owner_erased AFTER DELETE ON account
BEGIN
    DELETE FROM supplement WHERE owner_id = hex(OLD.id);
END;

-- Where the value of a profile field came from. A field without a row is as it was when the account was created.
CREATE TABLE profile_source (
    user_id   BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    field     TEXT    NOT NULL,
    origin    TEXT    NOT NULL CHECK (origin IN ('person', 'import', 'operator', 'client')),
    -- The import; NULL for other origins.
    import_id BLOB    CHECK (import_id IS NULL OR length(import_id) = 16),
    at        INTEGER NOT NULL,
    PRIMARY KEY (user_id, field),
    CHECK ((origin = 'import') = (import_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
