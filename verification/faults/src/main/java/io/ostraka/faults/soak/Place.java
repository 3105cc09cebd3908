package io.ostraka.faults.soak;

import io.ostraka.faults.worker.EventLog;
import io.ostraka.faults.worker.Worker;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The slot of one worker and its connections to the servers. When a worker ends, another worker can replace it; the
 * proxies through which it connects remain. Thread-safe.
 */
final class Place implements AutoCloseable {
    /** Function that starts a worker with the given name and connect string. */
    interface Starter extends BiFunction<String, String, Worker> {}

    private static final Pattern WORKER = Pattern.compile("worker-(\\d+)-");

    private final int number;
    private final List<TcpProxy> ways;
    private final Starter starter;
    private final List<Worker> all = new ArrayList<>();
    private @Nullable Worker present;

    /** Creates a place without a worker, with one proxy for the port of each server. */
    Place(int number, IntStream ports, Starter starter) {
        this.number = number;
        this.ways = ports.mapToObj(TcpProxy::new).toList();
        this.starter = starter;
    }

    /**
     * Returns the number of the place of a worker. The argument is the worker's process name or its instance id.
     * Returns empty if the process is not a worker.
     */
    static OptionalInt of(String process) {
        Matcher worker = WORKER.matcher(process);
        return worker.lookingAt() ? OptionalInt.of(Integer.parseInt(worker.group(1))) : OptionalInt.empty();
    }

    // ---- the worker

    synchronized void start() {
        if (present == null) {
            String servers = ways.stream().map(TcpProxy::connectString).collect(Collectors.joining(","));
            present = starter.apply("worker-" + number + "-" + all.size(), servers);
            all.add(present);
        }
    }

    /** Returns the worker. Returns empty if the place has none. */
    synchronized Optional<Worker> worker() {
        return Optional.ofNullable(present);
    }

    /** Returns the worker if it runs. Returns empty if there is no worker, or if it has ended or is stopped. */
    Optional<Worker> running() {
        return worker().filter(Worker::isAlive).filter(worker -> !worker.isStopped());
    }

    /** Takes the worker away from the place. The caller is then responsible for the worker. */
    synchronized Optional<Worker> remove() {
        Optional<Worker> removed = worker();
        present = null;
        return removed;
    }

    /** Returns all present and former workers of this place. */
    synchronized List<Worker> everyone() {
        return List.copyOf(all);
    }

    synchronized List<EventLog.Line> history() {
        List<EventLog.Line> lines = new ArrayList<>();
        for (Worker worker : all) {
            try {
                lines.addAll(worker.history());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return lines;
    }

    // ---- connections to the servers

    /** Resets all connections. Returns whether there were any connections. */
    boolean reset() {
        return ways.stream().mapToInt(TcpProxy::reset).sum() > 0;
    }

    void hold(Direction direction) {
        ways.forEach(way -> way.hold(direction));
    }

    void delay(Duration by) {
        for (Direction direction : Direction.values()) {
            ways.forEach(way -> way.delay(direction, by));
        }
    }

    void heal() {
        ways.forEach(TcpProxy::heal);
    }

    @Override
    public synchronized void close() {
        all.forEach(Worker::close);
        ways.forEach(TcpProxy::close);
    }

    @Override
    public String toString() {
        return "place " + number + worker().map(worker -> ", " + worker).orElse("");
    }
}
