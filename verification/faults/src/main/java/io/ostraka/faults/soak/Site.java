package io.ostraka.faults.soak;

import io.ostraka.api.Health;
import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.worker.EventLog;
import io.ostraka.faults.worker.Resource;
import io.ostraka.faults.worker.Worker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** All processes of a soak: the servers, the workers in their places, the resource, and a database. Thread-safe. */
final class Site implements AutoCloseable {
    static final String NAMESPACE = "soak";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    /** Longest wait for a worker to execute an operator's command. It includes outages and other faults. */
    private static final Duration OBEYING = Duration.ofMinutes(2);
    /** Longest time that workers may take to shut down gracefully. */
    private static final Duration LEAVING = Duration.ofSeconds(30);

    private static final long ANSWER_SECONDS = 5;
    private static final long PAUSE_MILLIS = 100;

    private final Ensemble ensemble;
    private final Resource resource;
    private final List<Place> places;
    private final @Nullable Database database;

    private Site(Ensemble ensemble, Resource resource, List<Place> places, @Nullable Database database) {
        this.ensemble = ensemble;
        this.resource = resource;
        this.database = database;
        this.places = places;
    }

    /**
     * Starts the servers, the resource and the initial workers, and returns when these workers are connected. If the
     * plan has faults of the database, this method also starts a database, to which the workers write their history.
     *
     * @param builds function that returns the class path for a worker's name
     */
    static Site start(Path directory, FaultPlan plan, UnaryOperator<String> builds)
            throws IOException, InterruptedException {
        Path workers = Files.createDirectories(directory.resolve("workers"));
        Ensemble ensemble = Ensemble.start(Files.createDirectories(directory.resolve("servers")));
        Resource resource = null;
        Database database = null;
        List<Place> places = new ArrayList<>();
        try {
            Resource writtenTo = Resource.start(workers);
            resource = writtenTo;
            Database started = plan.needsDatabase() ? Database.start(directory.resolve("spool")) : null;
            database = started;
            for (int number = 0; number < FaultPlan.PLACES; number++) {
                places.add(new Place(
                        number,
                        IntStream.range(0, ensemble.size()).map(ensemble::port),
                        (name, servers) -> worker(new Worker.Options(
                                name,
                                servers,
                                NAMESPACE,
                                Recoveries.SESSION_TIMEOUT,
                                writtenTo,
                                workers,
                                plan.seed(),
                                null,
                                builds.apply(name),
                                started == null ? null : started.access()))));
            }
            Site site = new Site(ensemble, writtenTo, List.copyOf(places), started);
            site.members(plan).forEach(Place::start);
            site.awaitConnected();
            return site;
        } catch (IOException | InterruptedException | RuntimeException e) {
            places.forEach(Place::close);
            if (resource != null) {
                resource.close();
            }
            if (database != null) {
                database.close();
            }
            ensemble.close();
            throw e;
        }
    }

    private static Worker worker(Worker.Options options) {
        try {
            return Worker.start(options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Ensemble ensemble() {
        return ensemble;
    }

    Resource resource() {
        return resource;
    }

    /** Returns whether the workers write a history to a database. */
    boolean hasDatabase() {
        return database != null;
    }

    /** Returns the database. May be called only if there is one. */
    Database database() {
        return Objects.requireNonNull(database);
    }

    Place place(int number) {
        return places.get(number);
    }

    List<Place> places() {
        return places;
    }

    /** Returns the places of the plan's initial workers. A fault may have removed the worker of a place. */
    List<Place> members(FaultPlan plan) {
        return places.subList(0, plan.members());
    }

    List<Worker> workers() {
        return places.stream().flatMap(place -> place.worker().stream()).toList();
    }

    /** Waits until each present worker reports that it is connected. */
    void awaitConnected() throws InterruptedException {
        long begun = System.nanoTime();
        for (Worker worker : workers()) {
            while (!answer(worker.health()).map(Health::connected).orElse(false)) {
                if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                    throw new IllegalStateException(
                            worker + " has not connected within " + PATIENCE.toSeconds() + " s; see " + worker.log());
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Returns whether the servers list a worker as registered. Also returns true if the servers do not answer. */
    boolean isRegistered(Worker worker) {
        String instances = "/" + NAMESPACE + "/instances/" + worker.name() + "@";
        return ensemble.ephemerals()
                .map(paths -> paths.stream().anyMatch(path -> path.startsWith(instances)))
                .orElse(true);
    }

    /**
     * Sends an operator's command through a worker, and waits for the answer. A worker that is cut off executes the
     * command later. If the worker fails or dies, this method sends the command to another worker, so a command may be
     * executed twice.
     *
     * @param turn number that selects the worker to ask first
     */
    void order(int turn, Function<Worker, CompletableFuture<?>> order) throws InterruptedException {
        long begun = System.nanoTime();
        Exception last = null;
        for (int next = turn; ; next++) {
            List<Worker> running =
                    places.stream().flatMap(place -> place.running().stream()).toList();
            long left = OBEYING.toNanos() - (System.nanoTime() - begun);
            try {
                if (!running.isEmpty()) {
                    order.apply(running.get(next % running.size())).get(left, TimeUnit.NANOSECONDS);
                    return;
                }
            } catch (ExecutionException e) {
                last = e;
            } catch (TimeoutException e) {
                last = last == null ? e : last;
            }
            if (left <= 0) {
                throw new IllegalStateException(
                        "no worker has executed a command within " + OBEYING.toSeconds() + " s", last);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /**
     * Shuts down the workers of these places gracefully, all at the same time. Returns when all have ended, with a
     * message for each worker that did not shut down in time.
     */
    static List<String> leave(List<Place> places) throws InterruptedException {
        Map<Worker, CompletableFuture<Void>> leaving = new LinkedHashMap<>();
        places.forEach(place -> place.remove().ifPresent(worker -> leaving.put(worker, worker.leave())));
        List<String> wrong = new ArrayList<>();
        long begun = System.nanoTime();
        for (Map.Entry<Worker, CompletableFuture<Void>> each : leaving.entrySet()) {
            Worker worker = each.getKey();
            try {
                each.getValue().get(LEAVING.toNanos() - (System.nanoTime() - begun), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                worker.kill();
                wrong.add(worker + " has not shut down in good order within " + LEAVING.toSeconds() + " s: " + e
                        + "; see " + worker.log());
            }
        }
        return wrong;
    }

    /** Waits for an answer. Returns empty if it does not arrive in time. */
    static <T> Optional<T> answer(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return Optional.ofNullable(answer.get(ANSWER_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    /** Returns all events that the workers and the resource have recorded. */
    List<EventLog.Line> recorded() throws IOException {
        List<EventLog.Line> lines = new ArrayList<>(resource.history());
        places.forEach(place -> lines.addAll(place.history()));
        return lines;
    }

    /** Returns the transactions of the servers. All servers should be running. */
    List<Event.Transaction> committed() throws IOException {
        return ensemble.transactionLogs().of(NAMESPACE);
    }

    /** Ends all processes. */
    @Override
    public void close() {
        places.forEach(Place::close);
        resource.close();
        ensemble.close();
        if (database != null) {
            database.close();
        }
    }
}
