DROP TABLE intake_log;
