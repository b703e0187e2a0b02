-- Number of changes of the schema, by which those who have the study open notice them.
ALTER TABLE study ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
