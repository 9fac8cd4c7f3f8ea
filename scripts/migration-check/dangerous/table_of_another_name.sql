ALTER TABLE grants RENAME TO grant_of_old;
