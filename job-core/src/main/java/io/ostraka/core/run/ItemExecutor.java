package io.ostraka.core.run;

import io.ostraka.api.metrics.Load;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs items on the workers that all jobs of a process share. Items are independent: a slow one holds up nobody, as long as
 * there is room. There is one room for jobs whose runs are quick and one for those whose runs are slow, and one
 * for their child tasks. Thread-safe.
 */
public final class ItemExecutor {
    private static final Logger log = LoggerFactory.getLogger(ItemExecutor.class);
    /** How long items that are due may have no place before somebody is told. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int MOST_SHOWN = 20;

    private final Platform platform;
    private final Room quick;
    private final Room slow;
    private final Room tasks;
    private final ErrorHandlers errors;
    /** What runs, and the room in which it has its place. */
    private final Map<ItemRun, Room> underWay = new ConcurrentHashMap<>();

    /**
     * Runs on a machine's workers, whose threads users' code may block.
     *
     * @param quickRuns how many items of quick jobs run at once
     * @param slowRuns how many items of slow jobs run at once
     * @param taskRuns how many child tasks of runs run at once
     * @param errors told of runs that fail
     */
    public ItemExecutor(Platform platform, int quickRuns, int slowRuns, int taskRuns, ErrorHandlers errors) {
        this.platform = platform;
        this.quick = watched("items of quick jobs", quickRuns);
        this.errors = errors;
        this.slow = watched("items of slow jobs", slowRuns);
        this.tasks = watched("tasks of runs", taskRuns);
    }

    private Room watched(String whose, int size) {
        Saturation saturation = new Saturation(whose, size);
        Room room = new Room(size, saturation);
        saturation.room = room;
        return room;
    }

    /** Returns the room in which a job's runs take their places now. */
    public Room room(JobBody body) {
        return body.pace().slow(platform.clock().monotonicNanos()) ? slow : quick;
    }

    /** Returns how full the rooms are, by name. */
    public Map<String, Load.Room> load() {
        return Map.of("quick", quick.load(), "slow", slow.load(), "tasks", tasks.load());
    }

    /**
     * Starts a run.
     *
     * @param room in which it has a place, which is given back when the run has ended
     */
    public void start(JobBody body, ItemRun run, Room room, RunObserver reports) {
        underWay.put(run, room);
        new RunAttempts(platform, body, run, room, tasks, errors, new RunObserver() {
                    @Override
                    public void began() {
                        reports.began();
                    }

                    @Override
                    public void returned(Duration took) {
                        reports.returned(took);
                    }

                    @Override
                    public void stalled() {
                        reports.stalled();
                    }

                    @Override
                    public void abandoned() {
                        reports.abandoned();
                    }

                    @Override
                    public void ended(RunEnd end) {
                        underWay.remove(run);
                        reports.ended(end);
                    }
                })
                .start();
    }

    /** Says once what holds a room that has had no place for long. */
    private final class Saturation implements Room.Watch {
        private final String whose;
        private final int size;
        private Runnable takeBack = () -> {};
        private @Nullable Room room;

        Saturation(String whose, int size) {
            this.whose = whose;
            this.size = size;
        }

        @Override
        public void saturated(boolean now) {
            takeBack.run();
            takeBack = now ? platform.later(PATIENCE, this::report) : () -> {};
        }

        private void report() {
            log.warn(
                    "all {} places for {} have been taken for {}; others wait for one. Under way:{}",
                    size,
                    whose,
                    PATIENCE,
                    underWay.entrySet().stream()
                            .filter(run -> room == tasks || run.getValue() == room) // tasks are those of any run
                            .limit(MOST_SHOWN)
                            .map(run -> "\n" + run.getKey() + run.getKey().whereabouts())
                            .collect(Collectors.joining()));
        }
    }
}
