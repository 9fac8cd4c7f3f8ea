ALTER TABLE account ADD CONSTRAINT email_form CHECK (email LIKE $$%@%$$);
