package io.ostraka.examples.rolling;

import io.ostraka.api.ShardingContext;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;

/** The table of all runs, which the processes write and the test reads. */
final class Recording {
    static final int POLL_MILLIS = 20;

    private Recording() {}

    static void create(JdbcTemplate database) {
        database.execute("DROP TABLE IF EXISTS run");
        database.execute(
                """
                CREATE TABLE run (
                  job VARCHAR(128), item INT, fire BIGINT, attempt INT, token BIGINT, pid BIGINT,
                  begun TIMESTAMP WITH TIME ZONE, ended TIMESTAMP WITH TIME ZONE, outcome VARCHAR(1000))
                """);
    }

    static void begin(JdbcTemplate database, ShardingContext run) {
        database.update(
                "INSERT INTO run (job, item, fire, attempt, token, pid, begun) VALUES (?, ?, ?, ?, ?, ?, ?)",
                run.jobName(),
                run.shardingItem(),
                run.fireTime().toEpochMilli(),
                run.attempt(),
                run.fencingToken(),
                ProcessHandle.current().pid(),
                Timestamp.from(Instant.now()));
    }

    static void end(JdbcTemplate database, ShardingContext run, String outcome) {
        database.update(
                "UPDATE run SET ended = ?, outcome = ? WHERE job = ? AND item = ? AND token = ? AND attempt = ?",
                Timestamp.from(Instant.now()),
                outcome,
                run.jobName(),
                run.shardingItem(),
                run.fencingToken(),
                run.attempt());
    }

    /** Returns whether a run of the process has begun and not ended. */
    static boolean isRunning(JdbcTemplate database, long pid) {
        return running(database, pid) > 0;
    }

    /** Returns the number of runs of the process that have begun and not ended. */
    static int running(JdbcTemplate database, long pid) {
        return Objects.requireNonNull(database.queryForObject(
                "SELECT COUNT(*) FROM run WHERE pid = ? AND outcome IS NULL", Integer.class, pid));
    }

    /** Returns the number of items with a run of a fire that was due at an instant or later. */
    static int itemsSince(JdbcTemplate database, Instant since) {
        return Objects.requireNonNull(database.queryForObject(
                "SELECT COUNT(*) FROM (SELECT job, item FROM run WHERE fire >= ? GROUP BY job, item) item",
                Integer.class,
                since.toEpochMilli()));
    }

    /** Returns all runs, in the order of their jobs, items, fires and attempts. */
    static List<Run> all(JdbcTemplate database) {
        return database.query(
                "SELECT job, item, fire, attempt, token, pid, outcome FROM run ORDER BY job, item, fire, begun",
                (row, number) -> new Run(
                        row.getString("job"),
                        row.getInt("item"),
                        Instant.ofEpochMilli(row.getLong("fire")),
                        row.getInt("attempt"),
                        row.getLong("token"),
                        row.getLong("pid"),
                        row.getString("outcome")));
    }
}
