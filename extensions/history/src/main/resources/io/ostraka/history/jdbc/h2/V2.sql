-- The key of left_out also contains the cursor before the skip: after an operator has set back the cursor of an item, the
-- item can skip the same fires again. The skip of a triggered fire has no cursor, and gets the time of the fire instead.

UPDATE {prefix}left_out SET cursor_before = first_fire WHERE cursor_before IS NULL;

ALTER TABLE {prefix}left_out ALTER COLUMN cursor_before SET NOT NULL;

ALTER TABLE {prefix}left_out DROP PRIMARY KEY;

ALTER TABLE {prefix}left_out ADD PRIMARY KEY (namespace, job, item, incarnation, first_fire, run_id, reason, cursor_before);

DROP INDEX IF EXISTS {prefix}left_out_fire;

-- Finds the fires that a job left out, newest first, and those that begin in an interval (the account).
CREATE INDEX IF NOT EXISTS {name}left_out_fire ON {prefix}left_out (namespace, job, first_fire, item, incarnation, run_id, reason, cursor_before);
