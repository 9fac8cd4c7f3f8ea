-- Supplements of a person's own, the search of the catalogue, and where the values of a profile came from.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000005', 2);

-- The key of a person's own product begins with their id (domain::supplement::CatalogueKey). The owner is a column so
-- that the product is deleted with the person. The text for the search is what domain::supplement::SearchWords does
-- to a query: lower case, blanks instead of punctuation, and a blank before each word.
ALTER TABLE supplement
    ADD COLUMN owner_id uuid GENERATED ALWAYS AS (
        CASE catalogue_source WHEN 'own' THEN substr(catalogue_key, 1, 36)::uuid END
    ) STORED CONSTRAINT supplement_owner_id_fkey REFERENCES person (id) ON DELETE CASCADE,
    ADD COLUMN search_text text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
        left(' ' || lower(translate(name || ' ' || brand, '-,.;:/\()[]''"&+*%#!?_|', repeat(' ', 22)) COLLATE "C"), 300)
    ) STORED;

CREATE INDEX supplement_owner ON supplement (owner_id) WHERE owner_id IS NOT NULL;
-- Names that begin with the query.
CREATE INDEX supplement_name ON supplement (search_text, id) WHERE is_current AND owner_id IS NULL;
-- Words in any order. Built without the text search parser, so that both stores know the same words.
CREATE INDEX supplement_word ON supplement
    USING gin (array_to_tsvector(array_remove(string_to_array(search_text, ' '), '')))
    WHERE is_current AND owner_id IS NULL;

-- Where the value of a profile field came from. A field without a row is as it was when the account was created.
CREATE TABLE profile_source (
    user_id   uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    field     text        NOT NULL,
    origin    text        NOT NULL CHECK (origin IN ('person', 'import', 'operator', 'client')),
    -- The import; NULL for other origins.
    import_id uuid,
    at        timestamptz NOT NULL,
    PRIMARY KEY (user_id, field),
    CHECK ((origin = 'import') = (import_id IS NOT NULL))
);
