-- The key of left_out also contains the cursor before the skip: after an operator has set back the cursor of an item, the
-- item can skip the same fires again. The skip of a triggered fire has no cursor, and gets the time of the fire instead.

UPDATE {prefix}left_out SET cursor_before = first_fire WHERE cursor_before IS NULL;

-- Index left_out_fire: Finds the fires that a job left out, newest first, and those that begin in an interval (the
-- account).
ALTER TABLE {prefix}left_out
  MODIFY cursor_before BIGINT NOT NULL,
  DROP PRIMARY KEY,
  ADD PRIMARY KEY (namespace, job, item, incarnation, first_fire, run_id, reason, cursor_before),
  DROP INDEX {name}left_out_fire,
  ADD INDEX {name}left_out_fire (namespace, job, first_fire, item, incarnation, run_id, reason, cursor_before);
