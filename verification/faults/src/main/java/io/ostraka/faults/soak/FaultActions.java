package io.ostraka.faults.soak;

import io.ostraka.api.Schedule;
import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.worker.Worker;
import io.ostraka.fixtures.net.Direction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Injects faults of each kind and undoes them. Thread-safe, like its site. */
final class FaultActions {
    /** Latency of requests and replies of a worker that reconnects after its session has ended. */
    private static final Duration COMING_BACK = Duration.ofMillis(60);
    /** Interval between checks of the registered instances. */
    private static final long LOOK_MILLIS = 20;
    /**
     * Longest wait until the once-listener of the worker to be killed is called. Several fires come due in this time,
     * each with two calls.
     */
    private static final Duration UNTIL_TELLING = Duration.ofSeconds(15);

    private final Site site;
    private final FaultPlan plan;

    FaultActions(Site site, FaultPlan plan) {
        this.site = site;
        this.plan = plan;
    }

    /** Action that undoes a fault. */
    interface Repair {
        void run() throws InterruptedException;
    }

    /**
     * Injects a fault. Returns the action that undoes it. Returns empty if the fault cannot apply to the present state
     * of its target.
     */
    Optional<Repair> inject(Fault fault) throws InterruptedException {
        return switch (fault.kind().layer()) {
            case PROCESS -> process(fault, site.place(fault.target()));
            case NETWORK -> network(fault, site.place(fault.target()));
            case CLOCK -> clock(fault, site.place(fault.target()));
            case ENSEMBLE -> Optional.of(ensemble(fault, site.ensemble()));
            case DATABASE -> site.database().inject(fault);
            case JOB, TRIGGER ->
                Optional.of(operator(fault, FaultPlan.JOBS.get(fault.target()).jobName()));
        };
    }

    // ---- worker processes

    private static Optional<Repair> process(Fault fault, Place place) throws InterruptedException {
        if (fault.kind() == Fault.Kind.WORKER_JOINS) {
            place.start();
            return Optional.of(() -> leave(place));
        }
        Optional<Worker> running = place.running();
        if (running.isEmpty()) {
            return Optional.empty();
        }
        Worker worker = running.get();
        switch (fault.kind()) {
            case WORKER_KILLED -> {
                place.remove();
                worker.kill();
            }
            case TELLER_KILLED -> {
                if (!within(worker.telling(), UNTIL_TELLING)) {
                    return Optional.empty();
                }
                place.remove();
                worker.kill();
            }
            case WORKER_STOPPED -> {
                worker.stop();
                return Optional.of(worker::go);
            }
            default -> leave(place);
        }
        return Optional.of(place::start);
    }

    private static boolean within(CompletableFuture<Void> what, Duration limit) throws InterruptedException {
        try {
            what.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private static void leave(Place place) throws InterruptedException {
        List<String> wrong = Site.leave(List.of(place));
        if (!wrong.isEmpty()) {
            throw new IllegalStateException(wrong.get(0));
        }
    }

    // ---- connections of workers to the servers

    private Optional<Repair> network(Fault fault, Place place) throws InterruptedException {
        if (place.running().isEmpty()) {
            return Optional.empty();
        }
        Duration by = Duration.ofMillis(fault.amount());
        switch (fault.kind()) {
            case CONNECTIONS_RESET -> {
                return place.reset() ? Optional.of(() -> {}) : Optional.empty();
            }
            case REQUESTS_HELD -> place.hold(Direction.TO_SERVER);
            case REPLIES_HELD -> place.hold(Direction.TO_CLIENT);
            case REPLIES_LOST -> {
                place.hold(Direction.TO_CLIENT);
                return Optional.of(() -> {
                    place.reset();
                    place.heal();
                });
            }
            case LATENCY -> place.delay(by);
            case OVERTAKEN -> {
                return Optional.of(overtaken(fault, place));
            }
            default -> cutOff(place);
        }
        return Optional.of(place::heal);
    }

    /**
     * Cuts two workers off until their sessions have ended. Then cuts the remaining workers off too, so that they do
     * not take over the items before the two workers, whose requests are slow, are about to reconnect.
     */
    private Repair overtaken(Fault fault, Place first) throws InterruptedException {
        long end = System.nanoTime() + fault.length().toNanos();
        List<Place> others = new ArrayList<>(site.members(plan));
        List<Place> away = List.of(first, others.get((fault.target() + 1) % others.size()));
        others.removeAll(away);
        away.forEach(FaultActions::cutOff);
        awaitRegistered(false, first, end);
        others.forEach(FaultActions::cutOff);
        for (Place place : away) {
            awaitRegistered(false, place, end);
            place.heal();
            place.delay(COMING_BACK);
        }
        awaitRegistered(true, first, end);
        TimeUnit.MILLISECONDS.sleep(fault.amount());
        others.forEach(Place::heal);
        return () -> away.forEach(Place::heal);
    }

    private static void cutOff(Place place) {
        place.hold(Direction.TO_SERVER);
        place.hold(Direction.TO_CLIENT);
    }

    /**
     * Waits until the servers list the worker of a place as registered, or until they no longer list it, but not beyond
     * the given end.
     */
    private void awaitRegistered(boolean is, Place place, long end) throws InterruptedException {
        Optional<Worker> worker = place.worker();
        while (worker.isPresent() && site.isRegistered(worker.get()) != is && end - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    // ---- clocks of workers

    private static Optional<Repair> clock(Fault fault, Place place) throws InterruptedException {
        Optional<Worker> running = place.running();
        if (running.isEmpty()) {
            return Optional.empty();
        }
        Worker worker = running.get();
        // If the worker is stopped, it receives the command when it continues.
        Repair right = () -> worker.clock(Duration.ZERO);
        boolean set = Site.answer(
                        worker.clock(Duration.ofMillis(fault.amount())).thenApply(done -> true))
                .isPresent();
        if (!set) {
            right.run(); // a stopped worker receives both commands when it continues
            return Optional.empty();
        }
        return Optional.of(right);
    }

    // ---- servers

    private static Repair ensemble(Fault fault, Ensemble ensemble) {
        int leader = ensemble.awaitLeader();
        int follower = (leader + 1 + fault.target()) % ensemble.size();
        List<Integer> all = IntStream.range(0, ensemble.size()).boxed().toList();
        List<Integer> hit =
                switch (fault.kind()) {
                    case LEADER_KILLED, LEADER_STOPPED -> List.of(leader);
                    case FOLLOWER_KILLED, FOLLOWER_STOPPED -> List.of(follower);
                    // A single slow server would have no effect, because the other two are a majority.
                    case SLOW_DISK -> fault.target() == 0 ? List.of(leader, follower) : all;
                    default -> all;
                };
        switch (fault.kind()) {
            case LEADER_KILLED, FOLLOWER_KILLED, ALL_KILLED -> hit.forEach(ensemble::kill);
            case SLOW_DISK -> hit.forEach(server -> ensemble.slowDisk(server, Duration.ofMillis(fault.amount())));
            default -> hit.forEach(ensemble::stop);
        }
        return () -> {
            ensemble.heal();
            if (fault.kind().isOutage()) {
                ensemble.awaitMajority(); // from here on, the ensemble serves
            } else {
                ensemble.awaitServing();
            }
        };
    }

    // ---- operators

    private Repair operator(Fault fault, String job) throws InterruptedException {
        order(
                fault,
                switch (fault.kind()) {
                    case PAUSED -> worker -> worker.pause(job);
                    case RESCHEDULED ->
                        worker -> worker.schedule(job, Schedule.fixedRate(Duration.ofMillis(fault.amount())));
                    case RESIZED -> worker -> worker.itemCount(job, fault.amount());
                    case ITEM_DISABLED -> worker -> worker.disable(job, Set.of(Integer.toString(fault.amount())));
                    case RELEASED -> worker -> worker.release(job);
                    case TRIGGERED_LATER -> worker -> worker.triggerAfter(job, Duration.ofMillis(fault.amount()));
                    default -> worker -> worker.trigger(job, items(fault.amount()));
                });
        return switch (fault.kind()) {
            case TRIGGERED, TRIGGERED_LATER, RELEASED -> () -> {};
            case PAUSED -> () -> order(fault, worker -> worker.resume(job));
            default -> () -> order(fault, worker -> worker.restore(job));
        };
    }

    private void order(Fault fault, Function<Worker, CompletableFuture<?>> order) throws InterruptedException {
        site.order(fault.number(), order);
    }

    /**
     * Returns the items whose bits are set in a number. Without any bit, the returned set is empty and stands for all
     * items.
     */
    static Set<String> items(int bits) {
        return IntStream.range(0, Integer.SIZE)
                .filter(item -> (bits >>> item & 1) != 0)
                .mapToObj(Integer::toString)
                .collect(Collectors.toSet());
    }
}
