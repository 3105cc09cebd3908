-- Tables of the history. All times are milliseconds since 1970-01-01 UTC. The library limits the length of texts before it
-- stores them. Names and keys are ASCII, and are compared byte by byte: names that differ only in case are different.

-- One row for each claim of an item. A claim is the right to run one fire of one item, with all its retries.
CREATE TABLE IF NOT EXISTS {prefix}item_run (
  namespace VARCHAR(255) {ascii} NOT NULL,
  job VARCHAR(128) {ascii} NOT NULL,
  item VARCHAR(255) {ascii} NOT NULL,
  nonce VARCHAR(512) {ascii} NOT NULL,
  incarnation BIGINT NOT NULL,
  opened BIGINT,
  run_id VARCHAR(255) {ascii} NOT NULL,
  fire_time BIGINT NOT NULL,
  triggered SMALLINT NOT NULL,
  item_total INT NOT NULL,
  run_number BIGINT NOT NULL,
  fencing_token BIGINT NOT NULL,
  instance VARCHAR(255) {ascii} NOT NULL,
  claimed_at BIGINT NOT NULL,
  cursor_before BIGINT NOT NULL,
  cursor_after BIGINT NOT NULL,
  fenced SMALLINT NOT NULL,
  decision VARCHAR(32) {ascii} NOT NULL,
  attempts INT NOT NULL,
  attempt INT NOT NULL,
  outcome VARCHAR(32) {ascii} NOT NULL,
  error VARCHAR(2000),
  started_at BIGINT,
  ended_at BIGINT NOT NULL,
  ran_ms BIGINT,
  source VARCHAR(32) {ascii} NOT NULL,
  failed SMALLINT NOT NULL,
  PRIMARY KEY (namespace, job, item, nonce)
);

-- Groups the claims of a job by fire, newest fire first; finds the claims of one fire, and those of an interval of
-- scheduled fires (the account), in pages; finds the oldest fires of a job that has more rows than its retention allows.
-- There is no index by run id alone: the table run, or the run id of a scheduled fire, shows the fire time.
CREATE INDEX IF NOT EXISTS {name}item_run_fire ON {prefix}item_run (namespace, job, fire_time, run_id, item, nonce);

-- Finds the claims of one item, newest fire first, and the last one before an instant (the account). No column of an index
-- but those of item_run_end changes when a second report about a claim arrives.
CREATE INDEX IF NOT EXISTS {name}item_run_item ON {prefix}item_run (namespace, job, item, incarnation, fire_time, run_number, nonce);

-- Finds the claims of one item with certain run numbers (the account).
CREATE INDEX IF NOT EXISTS {name}item_run_number ON {prefix}item_run (namespace, job, item, run_number, nonce);

-- Finds the failures of all jobs, newest first, and the oldest succeeded and the oldest failed rows for the retention.
CREATE INDEX IF NOT EXISTS {name}item_run_end ON {prefix}item_run (namespace, failed, ended_at);

-- One row for each manual trigger. Scheduled fires have no row here.
CREATE TABLE IF NOT EXISTS {prefix}run (
  namespace VARCHAR(255) {ascii} NOT NULL,
  job VARCHAR(128) {ascii} NOT NULL,
  run_id VARCHAR(255) {ascii} NOT NULL,
  accepted_at BIGINT NOT NULL,
  fire_time BIGINT NOT NULL,
  item_total INT NOT NULL,
  requested_by VARCHAR(1000),
  reason VARCHAR(1000),
  rerun_of VARCHAR(255) {ascii},
  parameters TEXT NOT NULL,
  exact SMALLINT NOT NULL,
  PRIMARY KEY (namespace, job, run_id)
);

-- Finds the oldest rows for the retention.
CREATE INDEX IF NOT EXISTS {name}run_accepted ON {prefix}run (namespace, accepted_at);

-- Fires that an item skipped. A triggered fire has its run id, scheduled fires have an empty one. After an operator has
-- set back the cursor of an item, the item can skip the same fires again, from another cursor. A triggered fire has no
-- cursor, and its cursor_before is the time of the fire. The key also finds the last rows of an item before an instant (the
-- account).
CREATE TABLE IF NOT EXISTS {prefix}skipped (
  namespace VARCHAR(255) {ascii} NOT NULL,
  job VARCHAR(128) {ascii} NOT NULL,
  item VARCHAR(255) {ascii} NOT NULL,
  incarnation BIGINT NOT NULL,
  first_fire BIGINT NOT NULL,
  run_id VARCHAR(255) {ascii} NOT NULL,
  reason VARCHAR(32) {ascii} NOT NULL,
  last_fire BIGINT NOT NULL,
  fires BIGINT NOT NULL,
  opened BIGINT,
  cursor_before BIGINT NOT NULL,
  cursor_after BIGINT,
  instance VARCHAR(255) {ascii} NOT NULL,
  decided_at BIGINT NOT NULL,
  PRIMARY KEY (namespace, job, item, incarnation, first_fire, run_id, reason, cursor_before)
);

-- Finds the skipped fires of a job, newest first, and those that begin in an interval (the account).
CREATE INDEX IF NOT EXISTS {name}skipped_fire ON {prefix}skipped (namespace, job, first_fire, item, incarnation, run_id, reason, cursor_before);

-- Finds the oldest rows for the retention.
CREATE INDEX IF NOT EXISTS {name}skipped_decided ON {prefix}skipped (namespace, decided_at);

-- Changes around the runs. The place of a row in the spool is its key.
CREATE TABLE IF NOT EXISTS {prefix}event (
  source VARCHAR(255) {ascii} NOT NULL,
  segment BIGINT NOT NULL,
  byte_offset BIGINT NOT NULL,
  namespace VARCHAR(255) {ascii} NOT NULL,
  kind VARCHAR(32) {ascii} NOT NULL,
  happened_at BIGINT NOT NULL,
  instance VARCHAR(255) {ascii} NOT NULL,
  job VARCHAR(128) {ascii},
  item VARCHAR(255) {ascii},
  detail VARCHAR(2000) NOT NULL,
  PRIMARY KEY (source, segment, byte_offset)
);

-- Finds the events of a namespace, newest first, and the oldest rows for the retention.
CREATE INDEX IF NOT EXISTS {name}event_time ON {prefix}event (namespace, happened_at);

-- Finds the events of a job, newest first.
CREATE INDEX IF NOT EXISTS {name}event_job ON {prefix}event (namespace, job, happened_at);

-- Finds the changes of the level of a job (the account) among many other events.
CREATE INDEX IF NOT EXISTS {name}event_kind ON {prefix}event (namespace, job, kind, happened_at);

-- Steps of operators' commands. The place of a row in the spool is its key.
CREATE TABLE IF NOT EXISTS {prefix}audit (
  source VARCHAR(255) {ascii} NOT NULL,
  segment BIGINT NOT NULL,
  byte_offset BIGINT NOT NULL,
  namespace VARCHAR(255) {ascii} NOT NULL,
  happened_at BIGINT NOT NULL,
  request_id VARCHAR(255) NOT NULL,
  actor VARCHAR(255) NOT NULL,
  origin VARCHAR(255) NOT NULL,
  actor_role VARCHAR(255) NOT NULL,
  operation VARCHAR(255) NOT NULL,
  target VARCHAR(255) NOT NULL,
  reason VARCHAR(1000) NOT NULL,
  detail VARCHAR(4000) NOT NULL,
  outcome VARCHAR(255),
  PRIMARY KEY (source, segment, byte_offset)
);

-- Finds the steps, newest first, and the oldest rows for the retention.
CREATE INDEX IF NOT EXISTS {name}audit_time ON {prefix}audit (namespace, happened_at);

-- Counts and run times for each job, hour and kind; the kind is an outcome or a reason. runs: number of runs or fires.
-- kept: those that also had a row in item_run. bN: runs that took up to 2.5^N ms, the last one all longer runs. The key
-- serves all queries.
CREATE TABLE IF NOT EXISTS {prefix}rollup (
  namespace VARCHAR(255) {ascii} NOT NULL,
  job VARCHAR(128) {ascii} NOT NULL,
  hour_start BIGINT NOT NULL,
  kind VARCHAR(32) {ascii} NOT NULL,
  runs BIGINT NOT NULL,
  kept BIGINT NOT NULL,
  sum_ms BIGINT NOT NULL,
  max_ms BIGINT NOT NULL,
  b0 BIGINT NOT NULL,
  b1 BIGINT NOT NULL,
  b2 BIGINT NOT NULL,
  b3 BIGINT NOT NULL,
  b4 BIGINT NOT NULL,
  b5 BIGINT NOT NULL,
  b6 BIGINT NOT NULL,
  b7 BIGINT NOT NULL,
  b8 BIGINT NOT NULL,
  b9 BIGINT NOT NULL,
  b10 BIGINT NOT NULL,
  b11 BIGINT NOT NULL,
  b12 BIGINT NOT NULL,
  b13 BIGINT NOT NULL,
  b14 BIGINT NOT NULL,
  b15 BIGINT NOT NULL,
  b16 BIGINT NOT NULL,
  b17 BIGINT NOT NULL,
  b18 BIGINT NOT NULL,
  b19 BIGINT NOT NULL,
  PRIMARY KEY (namespace, job, hour_start, kind)
);

-- The place in each spool up to which the database has its rows. It changes in the transaction that inserts them, so no
-- row counts twice.
CREATE TABLE IF NOT EXISTS {prefix}spool (
  source VARCHAR(255) {ascii} NOT NULL,
  namespace VARCHAR(255) {ascii} NOT NULL,
  segment BIGINT NOT NULL,
  byte_offset BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (source)
);
