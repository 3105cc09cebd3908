package io.ostraka.faults.soak;

import io.ostraka.api.Schedule;
import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.worker.Worker;
import io.ostraka.testkit.net.Direction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Has the faults of a plan befall a site, each for as long as planned. Those of one lane come one after the other; one that
 * comes late because the one before took longer is still as long.
 */
final class Injection {
    /** How long a worker may take to leave in good order. */
    private static final Duration LEAVING = Duration.ofSeconds(30);
    /** How slow the requests and replies are of who comes back after its session's end. */
    private static final Duration COMING_BACK = Duration.ofMillis(60);
    /** How often it is looked who is registered. */
    private static final long LOOK_MILLIS = 20;

    private final Site site;
    private final FaultPlan plan;
    private final Consumer<String> log;
    private final List<Strike> strikes = new ArrayList<>();
    private final long begun = System.nanoTime();

    private Injection(Site site, FaultPlan plan, Consumer<String> log) {
        this.site = site;
        this.plan = plan;
        this.log = log;
    }

    /** Takes a fault back. */
    private interface Remedy {
        void run() throws InterruptedException;
    }

    /**
     * Has all of them befall; returns when the last was taken back.
     *
     * @param log is told of each, on any thread
     * @return those that did: an order that no worker could carry out is none
     */
    static List<Strike> run(Site site, FaultPlan plan, Consumer<String> log) throws InterruptedException {
        var injection = new Injection(site, plan, log);
        Map<String, List<Fault>> lanes = new LinkedHashMap<>();
        plan.faults().forEach(fault -> lanes.computeIfAbsent(fault.lane(), lane -> new ArrayList<>())
                .add(fault));
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (List<Fault> lane : lanes.values()) {
                running.add(threads.submit(() -> {
                    for (Fault fault : lane) {
                        injection.befall(fault);
                    }
                    return null;
                }));
            }
            for (Future<?> lane : running) {
                lane.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a fault could not be brought about or taken back", e.getCause());
        } finally {
            threads.shutdownNow();
        }
        return injection.strikes();
    }

    private synchronized List<Strike> strikes() {
        return List.copyOf(strikes);
    }

    private synchronized void note(Strike strike) {
        strikes.add(strike);
        log.accept(strike.toString());
    }

    private void befall(Fault fault) throws InterruptedException {
        sleepUntil(fault.at());
        Instant began = Instant.now();
        Optional<Remedy> remedy = begin(fault);
        if (remedy.isEmpty()) {
            log.accept("not possible: " + fault);
            return;
        }
        sleepUntil(fault.until());
        remedy.get().run();
        note(new Strike(fault, began, Instant.now()));
    }

    private void sleepUntil(Duration at) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, at.toNanos() - (System.nanoTime() - begun)));
    }

    private Optional<Remedy> begin(Fault fault) throws InterruptedException {
        return switch (fault.kind().layer()) {
            case PROCESS -> process(fault, site.place(fault.target()));
            case NETWORK -> Optional.of(network(fault, site.place(fault.target())));
            case CLOCK -> clock(fault, site.place(fault.target()));
            case ENSEMBLE -> Optional.of(ensemble(fault, site.ensemble()));
            case JOB -> operator(fault, FaultPlan.JOBS.get(fault.target()));
        };
    }

    private static Optional<Remedy> process(Fault fault, Place place) throws InterruptedException {
        switch (fault.kind()) {
            case WORKER_KILLED -> {
                place.remove().ifPresent(Worker::kill);
                return Optional.of(place::start);
            }
            case WORKER_STOPPED -> {
                Optional<Worker> worker = place.worker();
                worker.ifPresent(Worker::stop);
                return Optional.of(() -> worker.ifPresent(Worker::go));
            }
            case WORKER_REPLACED -> {
                leave(place);
                return Optional.of(place::start);
            }
            default -> {
                place.start();
                return Optional.of(() -> leave(place));
            }
        }
    }

    /** Has a place's worker leave in good order, and waits until it has. */
    static void leave(Place place) throws InterruptedException {
        Optional<Worker> leaving = place.remove();
        if (leaving.isPresent()) {
            try {
                leaving.get().leave().get(LEAVING.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException(
                        leaving.get() + " does not leave in good order; see "
                                + leaving.get().log(),
                        e);
            }
        }
    }

    private Remedy network(Fault fault, Place place) throws InterruptedException {
        Duration by = Duration.ofMillis(fault.amount());
        switch (fault.kind()) {
            case CONNECTIONS_RESET -> place.reset();
            case REQUESTS_HELD -> place.hold(Direction.TO_SERVER);
            case REPLIES_HELD -> place.hold(Direction.TO_CLIENT);
            case REPLIES_LOST -> {
                place.hold(Direction.TO_CLIENT);
                return () -> {
                    place.reset();
                    place.heal();
                };
            }
            case LATENCY -> place.delay(by);
            case OVERTAKEN -> {
                return overtaken(fault, place);
            }
            default -> cutOff(place);
        }
        return place::heal;
    }

    /**
     * Two workers are away until their sessions have ended; then nobody gets to take over what they had before they, not too
     * fast themselves, are about to come back.
     */
    private Remedy overtaken(Fault fault, Place first) throws InterruptedException {
        List<Place> others = new ArrayList<>(site.members(plan));
        List<Place> away = List.of(first, others.get((fault.target() + 1) % others.size()));
        others.removeAll(away);
        away.forEach(Injection::cutOff);
        awaitRegistered(false, first, fault);
        others.forEach(Injection::cutOff);
        for (Place place : away) {
            awaitRegistered(false, place, fault);
            place.heal();
            place.delay(COMING_BACK);
        }
        awaitRegistered(true, first, fault);
        TimeUnit.MILLISECONDS.sleep(fault.amount());
        others.forEach(Place::heal);
        return () -> away.forEach(Place::heal);
    }

    private static void cutOff(Place place) {
        place.hold(Direction.TO_SERVER);
        place.hold(Direction.TO_CLIENT);
    }

    /** Waits until the servers have a place's worker registered, or no more, at most for as long as a fault lasts. */
    private void awaitRegistered(boolean is, Place place, Fault fault) throws InterruptedException {
        Optional<Worker> worker = place.worker();
        while (worker.isPresent()
                && site.isRegistered(worker.get()) != is
                && System.nanoTime() - begun < fault.until().toNanos()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private static Optional<Remedy> clock(Fault fault, Place place) throws InterruptedException {
        Optional<Worker> worker = place.worker().filter(up -> !up.isStopped());
        if (worker.isEmpty() || !set(worker.get(), Duration.ofMillis(fault.amount()))) {
            return Optional.empty();
        }
        // one that is stopped by then hears it when it goes on
        return Optional.of(() -> worker.get().clock(Duration.ZERO));
    }

    private static boolean set(Worker worker, Duration ahead) throws InterruptedException {
        return Site.answer(worker.clock(ahead).thenApply(done -> true)).isPresent();
    }

    private Remedy ensemble(Fault fault, Ensemble ensemble) {
        ensemble.awaitServing();
        int leader = ensemble.awaitLeader();
        int follower = (leader + 1 + fault.target()) % ensemble.size();
        List<Integer> all = IntStream.range(0, ensemble.size()).boxed().toList();
        List<Integer> hit =
                switch (fault.kind()) {
                    case LEADER_KILLED, LEADER_STOPPED -> List.of(leader);
                    case FOLLOWER_KILLED, FOLLOWER_STOPPED -> List.of(follower);
                    case SLOW_DISK -> List.of(fault.target() == 0 ? leader : follower);
                    default -> all;
                };
        switch (fault.kind()) {
            case LEADER_KILLED, FOLLOWER_KILLED, ALL_KILLED -> hit.forEach(ensemble::kill);
            case SLOW_DISK -> hit.forEach(server -> ensemble.slowDisk(server, Duration.ofMillis(fault.amount())));
            default -> hit.forEach(ensemble::stop);
        }
        return () -> {
            ensemble.heal();
            ensemble.awaitServing();
        };
    }

    private Optional<Remedy> operator(Fault fault, String job) throws InterruptedException {
        String item = Integer.toString(fault.amount());
        Function<Worker, CompletableFuture<?>> order =
                switch (fault.kind()) {
                    case PAUSED -> worker -> worker.pause(job);
                    case RESCHEDULED ->
                        worker -> worker.schedule(job, Schedule.fixedRate(Duration.ofMillis(fault.amount())));
                    case RESIZED -> worker -> worker.itemCount(job, fault.amount());
                    case ITEM_DISABLED -> worker -> worker.disable(job, Set.of(item));
                    default -> worker -> worker.trigger(job, Set.of());
                };
        boolean given = site.order(order);
        boolean once = fault.kind() == Fault.Kind.TRIGGERED;
        return given ? Optional.of(() -> restore(job, once)) : Optional.empty();
    }

    private void restore(String job, boolean once) throws InterruptedException {
        while (!once && !site.order(worker -> worker.restore(job))) {
            log.accept("job " + job + " can't be restored yet");
        }
    }
}
