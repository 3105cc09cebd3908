package io.ostraka.core.facade;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Lane;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The manual triggers that wait, and the ends of those that this instance asked for. Confined to the instance's lane. */
final class ManualTriggers {
    private static final Logger log = LoggerFactory.getLogger(ManualTriggers.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Fires fires;
    private final Timer timer;
    private final Lane lane;
    private final BooleanSupplier established;
    private final BiConsumer<String, List<Trigger>> changed;
    private final Map<String, RunHandle> runs = new HashMap<>();

    private List<Trigger> waiting = List.of();
    private boolean reading;
    private boolean stale;

    /**
     * @param established whether ZooKeeper can be asked
     * @param changed told the job whose triggers have changed, and all triggers
     */
    ManualTriggers(
            Fires fires,
            Timer timer,
            Lane lane,
            BooleanSupplier established,
            BiConsumer<String, List<Trigger>> changed) {
        this.fires = fires;
        this.timer = timer;
        this.lane = lane;
        this.established = established;
        this.changed = changed;
    }

    /** All triggers that wait or are worked off, oldest first. */
    List<Trigger> waiting() {
        return waiting;
    }

    /** Asks for a run, for as long as it takes. */
    void add(RunHandle run) {
        runs.put(run.runId(), run);
        fires.follow(run.request.job(), run.runId(), true);
        submit(run);
    }

    private void submit(RunHandle run) {
        if (!established.getAsBoolean()) {
            return; // the next connection submits it
        }
        fires.trigger(run.request)
                .whenComplete((done, error) -> lane.execute(() -> {
                    if (error == null) {
                        run.accepted = true;
                        look(run);
                    } else {
                        log.debug("run {} is not accepted yet: {}", run.runId(), error.toString());
                        later(() -> submit(run));
                    }
                }));
    }

    /** Goes on after a connection. */
    void connected() {
        read();
        for (RunHandle run : List.copyOf(runs.values())) {
            if (run.accepted) {
                look(run);
            } else {
                submit(run);
            }
        }
    }

    /** The progress of a fire has changed. */
    void fireChanged(String fire) {
        RunHandle run = runs.get(fire);
        if (run != null) {
            look(run);
        }
    }

    private void look(RunHandle run) {
        String job = run.request.job();
        fires.progress(job, run.runId())
                .whenComplete((progress, error) -> lane.execute(() -> {
                    if (error == null
                            && progress.isPresent()
                            && progress.get().value().done()) {
                        runs.remove(run.runId());
                        fires.follow(job, run.runId(), false);
                        run.end.complete(progress.get().value().outcomes());
                    }
                }));
    }

    /** Looks after what events should have told. */
    void look() {
        read();
        List.copyOf(runs.values()).stream().filter(run -> run.accepted).forEach(this::look);
    }

    /** Reads what waits, as triggers have come or gone. */
    void read() {
        if (reading) {
            stale = true;
            return;
        }
        if (!established.getAsBoolean()) {
            return;
        }
        reading = true;
        stale = false;
        fires.triggers()
                .whenComplete((read, error) -> lane.execute(() -> {
                    reading = false;
                    if (error == null) {
                        take(read);
                    } else {
                        later(this::read);
                    }
                    if (stale) {
                        read();
                    }
                }));
    }

    private void take(List<Trigger> read) {
        List<Trigger> difference = new ArrayList<>(read);
        difference.removeAll(waiting);
        waiting.stream().filter(trigger -> !read.contains(trigger)).forEach(difference::add);
        waiting = read;
        Set<String> jobs = new HashSet<>();
        difference.forEach(trigger -> jobs.add(trigger.request().job()));
        jobs.forEach(job -> changed.accept(job, read));
    }

    private void later(Runnable task) {
        timer.after(PAUSE, () -> lane.execute(task));
    }

    /** Tells those who wait that they will never know. */
    void close() {
        runs.values()
                .forEach(run -> run.end.completeExceptionally(
                        new CoordinationException("the registry was closed before run " + run.runId() + " ended")));
    }
}
