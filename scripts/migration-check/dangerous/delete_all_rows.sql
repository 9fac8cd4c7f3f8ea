DELETE FROM deletion;
