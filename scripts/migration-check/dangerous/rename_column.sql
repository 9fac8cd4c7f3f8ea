ALTER TABLE account RENAME COLUMN email TO address;
