package io.ostraka.faults.simulation;

import io.ostraka.core.time.Clock;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;

/**
 * The environment of one process: its clocks, fire timers, timers and threads. They stop, continue and end with the process.
 * Requests that the process has already sent are in the network, so they do not stop.
 */
final class Machine {
    private final Scheduler scheduler;
    private final Executor threads;
    private final Scheduler.Tasks client;
    private final Scheduler.Tasks lanes;
    private final Scheduler.Tasks workers;
    private final Scheduler.Tasks wakes;
    private final Scheduler.Tasks network;
    private final List<Fiber> fibers = new ArrayList<>();
    private final Platform platform;
    private Duration skew;
    private boolean dead;
    /** True while user code takes simulated time and may therefore pause; false after {@link #hurry}. */
    private boolean busy = true;

    Machine(Scheduler scheduler, Executor threads, Duration skew) {
        this.scheduler = scheduler;
        this.threads = threads;
        this.skew = skew;
        client = scheduler.tasks();
        lanes = scheduler.tasks();
        workers = scheduler.tasks();
        wakes = scheduler.tasks();
        network = scheduler.tasks();
        Clock clock = new Clock() {
            @Override
            public Instant now() {
                return Instant.ofEpochMilli(
                        scheduler.now().plus(Machine.this.skew).toEpochMilli());
            }

            @Override
            public long monotonicNanos() {
                return scheduler.nanos();
            }
        };
        platform = new Platform(clock, new SkewedFireTimer(), new MonotonicTimer(), lanes, this::work, this::await)
                .withTurn(1);
    }

    Platform platform() {
        return platform;
    }

    /** Returns the executor for callbacks of the coordination client. */
    Executor client() {
        return client;
    }

    /** Returns the executor that carries requests to the server. */
    Executor network() {
        return network;
    }

    /** Sets how far the wall clock is ahead of the true time. Wake-ups that are already set do not change. */
    void skew(Duration ahead) {
        skew = ahead;
    }

    /** Stops or continues the process, like SIGSTOP and SIGCONT. */
    void stop(boolean stop) {
        for (Scheduler.Tasks each : List.of(client, lanes, workers, wakes)) {
            each.stop(stop);
        }
    }

    /** Stops or continues the engine only. The client keeps the session alive meanwhile. */
    void wedge(boolean wedge) {
        if (!dead) {
            lanes.stop(wedge);
        }
    }

    /** Ends the process in the middle of its work. */
    void kill() {
        dead = true;
        for (Scheduler.Tasks each : List.of(client, lanes, workers, wakes)) {
            each.stop(true);
            each.clear();
        }
        for (Fiber fiber : List.copyOf(fibers)) {
            if (fiber != Fiber.current()) {
                fiber.kill();
            }
        }
        fibers.clear();
    }

    /** Makes user code take no simulated time after this call. */
    void hurry() {
        busy = false;
    }

    /** Returns whether user code still takes simulated time. */
    boolean busy() {
        return busy;
    }

    private void work(Runnable task) {
        workers.execute(() -> {
            if (busy && scheduler.random().nextInt(3) != 0) {
                run(task);
            } else {
                task.run();
            }
        });
    }

    /** Runs code that may pause. */
    void execute(Runnable code) {
        workers.execute(() -> run(code));
    }

    private void run(Runnable code) {
        Fiber[] own = new Fiber[1];
        own[0] = new Fiber(threads, () -> {
            code.run();
            fibers.remove(own[0]);
        });
        fibers.add(own[0]);
        own[0].go();
    }

    /** Pauses code that may pause, for a duration of simulated time. */
    void pause(Duration duration) {
        Fiber fiber = fiber();
        scheduler.after(duration, () -> workers.execute(fiber::go));
        fiber.pause();
    }

    private void await(CompletableFuture<?> answer, Duration timeout) throws TimeoutException, InterruptedException {
        if (answer.isDone()) {
            return;
        }
        Fiber fiber = fiber();
        boolean[] woken = {false};
        Runnable wake = () -> workers.execute(() -> {
            if (!woken[0]) {
                woken[0] = true;
                fiber.go();
            }
        });
        Scheduler.Due deadline = scheduler.after(timeout, wake);
        answer.whenComplete((value, error) -> wake.run());
        fiber.pause();
        deadline.cancel();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!answer.isDone()) {
            throw new TimeoutException("no answer within " + timeout);
        }
    }

    private static Fiber fiber() {
        Fiber fiber = Fiber.current();
        if (fiber == null) {
            throw new IllegalStateException("this code cannot wait: it runs outside of a fiber");
        }
        return fiber;
    }

    private final class MonotonicTimer implements Timer {
        private boolean closed;

        @Override
        public Runnable after(Duration delay, Runnable wake) {
            boolean[] cancelled = {false};
            Scheduler.Due due = scheduler.after(
                    delay,
                    () -> wakes.execute(() -> {
                        if (!closed && !cancelled[0]) {
                            wake.run();
                        }
                    }));
            return () -> {
                cancelled[0] = true;
                due.cancel();
            };
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /**
     * A fire timer that computes its waiting time once, when it is set, and checks the clock only after this time, as
     * Quartz does.
     */
    private final class SkewedFireTimer implements FireTimer {
        private final Map<String, Scheduler.Due> set = new HashMap<>();
        private boolean closed;

        @Override
        public void wakeAt(String key, Instant at, Runnable wake) {
            cancel(key);
            if (closed || dead) {
                return;
            }
            Duration left = Duration.between(platform.clock().now(), at);
            Scheduler.Due[] due = new Scheduler.Due[1];
            due[0] = scheduler.after(
                    left,
                    () -> wakes.execute(() -> {
                        if (set.get(key) != due[0]) {
                            return;
                        }
                        if (platform.clock().now().isBefore(at)) {
                            wakeAt(key, at, wake);
                        } else {
                            set.remove(key);
                            wake.run();
                        }
                    }));
            set.put(key, due[0]);
        }

        @Override
        public void cancel(String key) {
            Scheduler.Due due = set.remove(key);
            if (due != null) {
                due.cancel();
            }
        }

        @Override
        public void close() {
            closed = true;
            set.values().forEach(Scheduler.Due::cancel);
            set.clear();
        }
    }
}
