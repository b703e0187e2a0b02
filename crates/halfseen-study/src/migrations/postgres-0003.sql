-- Number of changes of the schema, as 0003.sql has it.
ALTER TABLE study ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
