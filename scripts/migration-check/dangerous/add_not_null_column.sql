ALTER TABLE account ADD COLUMN nickname text NOT NULL;
