package io.ostraka.faults.simulation;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.ItemChange;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.faults.history.Event;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.testkit.InMemoryNodeStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Injects faults into a cluster, and ends them after the phase with faults. */
final class FaultInjector {
    private static final int MOST_INSTANCES = 6;

    private final Cluster cluster;
    private final InMemoryNodeStore operator;
    private final Coordination operations;
    private final Commands commands;
    private final BackfillOperator backfills;
    /** Disconnected instances, each with the number of the fault that has disconnected it. */
    private final Map<Instance, Integer> away = new HashMap<>();
    /**
     * Stopped instances, each with the number of milliseconds that it needs after it continues until it notices that
     * its session has ended.
     */
    private final Map<Instance, Integer> stopped = new HashMap<>();

    /** Jobs that have cursors in the future which were not set back yet. */
    private final Set<String> planted = new TreeSet<>();
    /** Jobs with a request to write such a cursor that has not arrived. */
    private final Set<String> planting = new TreeSet<>();

    private int setBacks;
    private boolean over;

    FaultInjector(Cluster cluster) {
        this.cluster = cluster;
        operator = cluster.tree.connect(
                "operator", cluster.scheduler.tasks(), cluster.scheduler.tasks(), Cluster.SESSION_TIMEOUT);
        operator.start(new DeafListener());
        operations = new TreeCoordination(cluster.hooked(operator), new SystemClock());
        commands = new Commands(cluster);
        backfills = new BackfillOperator(cluster);
    }

    Commands commands() {
        return commands;
    }

    /** Schedules the faults of a scenario. */
    void announce(List<Fault> faults) {
        for (Fault fault : faults) {
            cluster.scheduler.after(fault.at(), () -> cluster.scheduler.afterSteps(fault.steps(), () -> inject(fault)));
        }
    }

    private void inject(Fault fault) {
        if (over) {
            return;
        }
        var random = new SplittableRandom(fault.seed());
        List<Instance> living = cluster.living();
        if (living.isEmpty() || fault.kind() == Fault.Kind.JOIN) {
            join(random);
            return;
        }
        Instance target = living.get(random.nextInt(living.size()));
        switch (fault.kind()) {
            case JOIN -> join(random);
            case KILL -> cluster.kill(target);
            case CLOSE -> {
                close(target);
                restart(target, random);
            }
            case EXPIRE -> {
                target.store.expire();
                // the instance reconnects either while the other instances take over its items, or much later
                awayFor(target, fault, random.nextInt(random.nextInt(3) == 0 ? 12_000 : 800));
            }
            case OVERTAKE -> overtake(target, fault, random);
            case CUT -> {
                long session = target.store.session();
                target.store.suspend();
                awayFor(target, fault, random.nextInt(25_000));
                expireUnlessBack(target, fault, session);
            }
            case ABANDON -> {
                long session = target.store.session();
                target.store.abandon();
                awayFor(target, fault, random.nextInt(5_000));
                cluster.expireLater(session);
            }
            case STOP -> stop(target, random);
            case NEW_EPOCH -> cluster.tree.newEpoch();
            case LOSE_REQUEST -> target.store.loseNextRequest();
            case LOSE_REPLY -> target.store.loseNextReply();
            case HOLD_REQUESTS -> {
                target.store.holdRequests();
                later(random.nextInt(9_000), target.store::releaseRequests);
            }
            case HOLD_REPLIES -> {
                target.store.holdReplies();
                later(random.nextInt(9_000), target.store::releaseReplies);
            }
            case HOLD_WATCHES -> {
                target.store.holdWatches();
                later(random.nextInt(9_000), target.store::releaseWatches);
            }
            case LAG -> {
                target.store.lag(1 + random.nextInt(10));
                later(random.nextInt(30_000), () -> target.store.lag(0));
            }
            case LATENCY -> {
                cluster.slow(target, Duration.ofMillis(random.nextInt(Scenario.FASTEST_MILLIS, 1_500)));
                later(random.nextInt(30_000), () -> cluster.slow(target, Duration.ZERO));
            }
            case JUMP -> {
                int most = random.nextBoolean() ? 3_000 : 40_000;
                target.machine.skew(Duration.ofMillis(random.nextInt(-most, most)));
            }
            case DEPOSE -> depose(random);
            case STOP_FIRE -> stopFire(random);
            case SKIP_FIRES -> skipFires(target, random);
            case SET_BACK -> plantCursor(random);
            case DELETE_RECORD -> deleteRecord(random);
            case BACKFILL -> backfills.start(random);
            case REDEFINE -> redefine(random);
            case PAUSE, COUNT, DISABLE, SCHEDULE, REMOVE, UNREGISTER, TRIGGER, TRIGGER_LATER ->
                operate(fault.kind(), target, random);
            case FREEZE -> {
                if (random.nextInt(3) == 0) {
                    commands.thaw();
                } else {
                    commands.freeze(length(random), random.nextInt(4) == 0);
                }
            }
            case DRAIN -> {
                String name = random.nextBoolean()
                        ? target.host
                        : target.engine.instanceId().orElse(target.host);
                commands.drain(name, length(random), random.nextInt(4) == 0);
                later(random.nextInt(40_000), () -> commands.undrain(name));
            }
            case EVICT -> {
                if (!stopped.containsKey(target) && random.nextInt(3) != 0) {
                    target.machine.wedge(true);
                    later(random.nextInt(30_000), () -> target.machine.wedge(stopped.containsKey(target)));
                }
                target.engine.instanceId().ifPresent(commands::evict);
            }
        }
    }

    /** Returns a random time after which an order of an operator ends by itself; null for an order without an end. */
    private static @Nullable Duration length(SplittableRandom random) {
        return random.nextInt(3) == 0 ? null : Duration.ofMillis(random.nextInt(40_000));
    }

    private void join(SplittableRandom random) {
        if (cluster.living().size() >= MOST_INSTANCES) {
            return;
        }
        // a restarted process has the host of the killed process, and in this simulation also its process id
        Optional<Instance> dead = cluster.instances.stream()
                .filter(instance -> instance.killed && random.nextBoolean())
                .findFirst();
        int number = cluster.instances.size();
        cluster.join(
                dead.map(instance -> instance.host).orElse("host-" + number),
                dead.map(instance -> instance.pid).orElse((long) number),
                Duration.ZERO);
    }

    private void close(Instance target) {
        long session = target.store.session();
        cluster.close(target);
        if (away.containsKey(target)) {
            cluster.expireLater(session);
        }
    }

    /** Restarts the host of a closed instance if jobs wait for it. */
    private void restart(Instance target, SplittableRandom random) {
        boolean awaited = cluster.jobs.values().stream()
                .anyMatch(job -> job.staticSharding() || !job.restartGrace().isZero());
        if (awaited && random.nextInt(4) != 0) {
            later(random.nextInt(45_000), () -> {
                if (!over && cluster.living().size() < MOST_INSTANCES) {
                    cluster.join(target.host, cluster.instances.size(), Duration.ZERO);
                }
            });
        }
    }

    /** Restarts hosts that may have items of static jobs waiting for them, up to the maximum number of instances. */
    private void bringBack() {
        for (Instance gone : List.copyOf(cluster.instances)) {
            boolean there = cluster.living().stream().anyMatch(instance -> instance.host.equals(gone.host));
            if (!there && cluster.living().size() < MOST_INSTANCES) {
                cluster.join(gone.host, cluster.instances.size(), Duration.ZERO);
            }
        }
    }

    /** Disconnects an instance for a while. Its client then reconnects by itself. */
    private void awayFor(Instance target, Fault fault, int millis) {
        away.put(target, fault.number());
        later(millis, () -> {
            if (away.remove(target, fault.number())) {
                back(target);
            }
        });
    }

    private void overtake(Instance target, Fault fault, SplittableRandom random) {
        target.store.expire();
        cluster.slow(target, Duration.ZERO);
        for (Instance other : cluster.living()) {
            if (other != target) {
                cluster.slow(other, Duration.ofSeconds(2));
                later(20_000, () -> cluster.slow(other, Duration.ZERO));
            }
        }
        awayFor(target, fault, random.nextInt(6_000, 13_000));
    }

    /**
     * Ends a session after its timeout if its client is still away, or has given the session up meanwhile. A client
     * without a connection gives its session up when it learns of its eviction.
     */
    private void expireUnlessBack(Instance target, Fault fault, long session) {
        cluster.scheduler.after(Cluster.SESSION_TIMEOUT, () -> {
            if (away.getOrDefault(target, -1) == fault.number() || target.store.session() != session) {
                cluster.tree.expire(session);
            }
        });
    }

    private static void back(Instance target) {
        if (!target.killed) {
            target.store.reconnect();
        }
    }

    /**
     * Suspends an instance. If the pause is longer than the session timeout, the server ends the session. The client
     * learns of this end some time after the process continues.
     */
    private void stop(Instance target, SplittableRandom random) {
        if (stopped.containsKey(target)) {
            return;
        }
        long session = target.store.session();
        stopped.put(target, random.nextInt(2_000));
        target.machine.stop(true);
        cluster.scheduler.after(Cluster.SESSION_TIMEOUT, () -> {
            if (stopped.containsKey(target)) {
                cluster.tree.expire(session);
            }
        });
        later(random.nextInt(random.nextBoolean() ? 5_000 : 30_000), () -> goOn(target));
    }

    private void goOn(Instance target) {
        Integer noticed = stopped.remove(target);
        if (noticed != null && !target.killed) {
            target.machine.stop(false);
            later(noticed, () -> {
                if (!away.containsKey(target)) {
                    back(target);
                }
            });
        }
    }

    /** Deletes the node of the first candidate, and delays the watch notifications of the leader. */
    private void depose(SplittableRandom random) {
        List<String> candidates = cluster.tree.children("/leader/latch");
        if (candidates.isEmpty()) {
            return;
        }
        String first = candidates.stream()
                .min((a, b) -> a.substring(a.length() - 10).compareTo(b.substring(b.length() - 10)))
                .orElseThrow();
        cluster.living().forEach(instance -> {
            if (instance.engine.leading()) {
                instance.store.holdWatches();
                later(random.nextInt(9_000), instance.store::releaseWatches);
            }
        });
        operator.commit(List.of(new NodeOp.Delete("/leader/latch/" + first, NodeOp.ANY_VERSION)));
    }

    /**
     * Stops a fire. In most cases the fire is running or was interrupted; otherwise it is the fire of a trigger or the
     * next fire of an item. Sometimes the request or its reply is lost.
     */
    private void stopFire(SplittableRandom random) {
        List<String> jobs = List.copyOf(cluster.jobs.keySet());
        String job = jobs.get(random.nextInt(jobs.size()));
        List<String> unfinished = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String item : cluster.tree.children("/jobs/" + job + "/sharding")) {
            stoppable(item, json("/jobs/" + job + "/sharding/" + item), unfinished, others);
        }
        for (String trigger : cluster.tree.children("/triggers")) {
            JsonObject request = json("/triggers/" + trigger);
            if (request.get("job").getAsString().equals(job)) {
                others.add("*~" + request.get("runId").getAsString());
            }
        }
        List<String> from = unfinished.isEmpty() || (!others.isEmpty() && random.nextInt(4) == 0) ? others : unfinished;
        if (from.isEmpty()) {
            return;
        }
        String[] chosen = from.get(random.nextInt(from.size())).split("~", -1);
        String item = random.nextInt(3) == 0 || chosen[0].equals("*") ? null : chosen[0];
        if (random.nextInt(4) == 0) {
            operator.loseNextReply();
        } else if (random.nextInt(8) == 0) {
            operator.loseNextRequest();
        }
        FireStop stop =
                new FireStop(job, item, chosen[1], new FireStop.Request("operator", "test", cluster.scheduler.now()));
        operations.fires().stop(stop);
        if (random.nextInt(3) == 0) {
            operations.fires().stop(stop); // a repeated request must change nothing
        }
    }

    /**
     * Skips the fires of a job up to a time in the past or in the future, or resumes a job without its missed fires.
     * The engine refuses the command if the present schedule cannot skip fires. Sometimes a reply is lost.
     */
    private void skipFires(Instance at, SplittableRandom random) {
        List<String> jobs = List.copyOf(cluster.jobs.keySet());
        String job = jobs.get(random.nextInt(jobs.size()));
        Instant now = cluster.scheduler.now();
        boolean resumes = random.nextBoolean();
        Instant to = resumes ? now : now.plusMillis(random.nextInt(-30_000, 25_000));
        if (random.nextInt(4) == 0) {
            at.store.loseNextReply();
        }
        cluster.amend(at, job, override -> {
            Instant present = override.skipTo();
            JobOverride skipping = override.withSkipTo(present != null && present.isAfter(to) ? present : to);
            return resumes ? skipping.withPaused(false) : skipping;
        });
    }

    /**
     * Deletes the record of an idle item. The server refuses the deletion if the item has a checkpoint. A record with a
     * cursor that a person or an operator has changed stays, because its owner may restore it without this change.
     */
    private void deleteRecord(SplittableRandom random) {
        idle(random, job -> true).filter(found -> !found.record.has("setBack")).ifPresent(found -> {
            operator.commit(List.of(new NodeOp.Delete(found.path, found.version)));
        });
    }

    /** The record of an idle item whose cursor is not in the future. */
    private record Idle(String job, String path, int version, JsonObject record) {}

    /** Returns the record of a random item of a random numbered job, if it is idle and its cursor not in the future. */
    private Optional<Idle> idle(SplittableRandom random, Predicate<JobConfiguration> wanted) {
        List<String> jobs = cluster.jobs.values().stream()
                .filter(wanted)
                .filter(job ->
                        ShardingPlan.numbered(job.scope()) && !job.labels().equals(Event.TOLD_ONCE))
                .map(JobConfiguration::jobName)
                .toList();
        if (jobs.isEmpty()) {
            return Optional.empty();
        }
        String job = jobs.get(random.nextInt(jobs.size()));
        List<String> items = cluster.tree.children("/jobs/" + job + "/sharding");
        if (items.isEmpty()) {
            return Optional.empty();
        }
        String item = items.get(random.nextInt(items.size()));
        String path = "/jobs/" + job + "/sharding/" + item;
        JsonObject record = json(path);
        return record.get("state").getAsString().equals("IDLE") && !future(job, item)
                ? Optional.of(new Idle(
                        job, path, cluster.tree.read(path).orElseThrow().version(), record))
                : Optional.empty();
    }

    /** Sets the cursor of an idle item to the future, as a wrong clock would, and sets it back some time later. */
    private void plantCursor(SplittableRandom random) {
        idle(random, JobConfiguration::failover).ifPresent(found -> {
            String job = found.job;
            Instant cursor = cluster.scheduler.now().plus(Duration.ofHours(1));
            found.record.addProperty("cursor", cursor.toString());
            planting.add(job);
            byte[] data = found.record.toString().getBytes(StandardCharsets.UTF_8);
            operator.commit(List.of(new NodeOp.Set(found.path, data, found.version)))
                    .whenComplete((outcome, error) -> planting.remove(job));
            planted.add(job);
            later(random.nextInt(20_000), () -> setBack(job));
        });
    }

    /**
     * Sets back all cursors of a job that are in the future. There may be several, because a change of the item count
     * may have copied a cursor to other items. The command has no effect on an item that runs a trigger, so it is
     * repeated until no such cursor is left. Sometimes a reply is lost or a request is late.
     */
    private void setBack(String job) {
        List<String> items = cluster.tree.children("/jobs/" + job + "/sharding").stream()
                .filter(item -> future(job, item))
                .toList();
        if (items.isEmpty() && planting.contains(job)) { // the operator's requests are late
            later(1_000, () -> setBack(job));
            return;
        }
        if (items.isEmpty()) {
            planted.remove(job);
            return;
        }
        for (String item : items) {
            if (++setBacks % 4 == 0) {
                operator.loseNextReply();
            } else if (setBacks % 4 == 1 && !over) {
                operator.holdRequests(); // the item runs a trigger meanwhile
                later(500 + setBacks * 300 % 2_000, operator::releaseRequests);
                List<Instance> living = cluster.living();
                if (!living.isEmpty()) {
                    cluster.trigger(living.get(0), job, Set.of());
                }
            }
            operations
                    .items()
                    .setBack(
                            job,
                            item,
                            new ItemChange.Request(
                                    "operator", "test", "set-back-" + setBacks, null, cluster.scheduler.now()));
        }
        later(1_000, () -> setBack(job));
    }

    private boolean future(String job, String item) {
        JsonObject record = json("/jobs/" + job + "/sharding/" + item);
        return !record.get("state").getAsString().equals("RETIRED")
                && Instant.parse(record.get("cursor").getAsString())
                        .isAfter(cluster.scheduler.now().plusSeconds(60));
    }

    private JsonObject json(String path) {
        byte[] data = cluster.tree.read(path).orElseThrow().data();
        return JsonParser.parseString(new String(data, StandardCharsets.UTF_8)).getAsJsonObject();
    }

    private static void stoppable(String item, JsonObject record, List<String> unfinished, List<String> others) {
        String incarnation = "." + record.get("incarnation").getAsLong();
        String state = record.get("state").getAsString();
        if (state.equals("RUNNING") || state.equals("HANDED_OVER")) {
            JsonObject fire = record.getAsJsonObject("run").getAsJsonObject("fire");
            boolean triggered = fire.get("triggerZxid").getAsLong() != 0;
            unfinished.add(item + "~" + fire.get("id").getAsString() + (triggered ? "" : incarnation));
        } else if (state.equals("IDLE")) {
            // this is the next fire only if the period of the schedule is 5 s
            Instant next = Instant.parse(record.get("cursor").getAsString()).plusSeconds(5);
            others.add(item + "~" + next.toEpochMilli() + incarnation);
        }
    }

    private void redefine(SplittableRandom random) {
        boolean paced = cluster.jobs.containsKey(Scenario.PACED) && random.nextBoolean();
        Schedule rate = Schedule.fixedRate(Duration.ofMillis(Scenario.pick(random, 500, 7_000, 20_000)));
        String job = paced ? Scenario.PACED : Scenario.RATE;
        long revision = cluster.redefine(job, paced ? Scenario.paced(random) : rate);
        for (Instance instance : cluster.living()) {
            later(random.nextInt(20_000), () -> {
                if (instance.alive) {
                    cluster.follow(instance, job, revision);
                }
            });
        }
    }

    private void operate(Fault.Kind kind, Instance at, SplittableRandom random) {
        List<String> jobs = List.copyOf(cluster.jobs.keySet());
        String job = jobs.get(random.nextInt(jobs.size()));
        String item = item(job, at, random.nextInt(Scenario.MOST_ITEMS));
        switch (kind) {
            case PAUSE ->
                change(
                        at,
                        job,
                        "paused",
                        override -> override.withPaused(!Boolean.TRUE.equals(override.paused())),
                        random);
            case COUNT -> {
                int count = 1 + random.nextInt(Scenario.MOST_ITEMS);
                boolean fixed = Scenario.FIXED.contains(job);
                String resized = fixed ? Scenario.RATE : job;
                change(at, resized, "shardingTotalCount", override -> override.withShardingTotalCount(count), random);
            }
            case DISABLE -> {
                Set<String> items = Set.of(item);
                change(
                        at,
                        job,
                        "disabledItems",
                        override -> override.withDisabledItems(
                                override.disabledItems().isEmpty() ? items : Set.of()),
                        random);
            }
            case SCHEDULE -> {
                Schedule rate = Schedule.fixedRate(Duration.ofMillis(Scenario.pick(random, 500, 7_000, 20_000)));
                Schedule other = random.nextInt(3) == 0 ? Scenario.paced(random) : rate;
                boolean paced = cluster.jobs.containsKey(Scenario.PACED) && random.nextBoolean();
                JobConfiguration single = paced ? null : cluster.jobs.get(Scenario.SINGLE);
                // the same single fire in another schedule must not run again
                Schedule next = single != null && random.nextBoolean()
                        ? single.schedule().jitter(Duration.ofSeconds(1))
                        : other;
                change(
                        at,
                        paced ? Scenario.PACED : single != null ? Scenario.SINGLE : Scenario.RATE,
                        "schedule",
                        override -> override.withSchedule(override.schedule() == null ? next : null),
                        random);
            }
            case REMOVE -> {
                cluster.amend(at, job, override -> override.withRemoved(true));
                later(random.nextInt(20_000), () -> {
                    if (at.alive) {
                        cluster.amend(at, job, override -> override.withRemoved(false));
                    }
                });
            }
            case UNREGISTER -> {
                cluster.unregister(at, job);
                later(random.nextInt(20_000), () -> {
                    if (at.alive) {
                        cluster.register(at, job);
                    }
                });
            }
            case TRIGGER_LATER -> {
                int delay = random.nextInt(20_000);
                cluster.triggerAfter(at, job, Duration.ofMillis(delay));
                if (random.nextBoolean()) {
                    cancelAbout(delay, at, job, random);
                }
            }
            default -> {
                // the item may not exist, now or when the trigger runs
                Set<String> items = random.nextInt(4) == 0 ? Set.of(item) : Set.of();
                if (random.nextInt(3) == 0) {
                    rerun(at, job, items, random);
                } else {
                    cluster.trigger(at, job, items);
                }
            }
        }
    }

    /**
     * Requests that items run again for an earlier fire. The item count may have changed since that fire, and may
     * change again before the items run.
     */
    private void rerun(Instance at, String job, Set<String> items, SplittableRandom random) {
        Instant fireTime = Scenario.START.minusSeconds(1 + random.nextInt(1_000_000));
        int count = random.nextBoolean()
                ? Objects.requireNonNull(cluster.jobs.get(job)).shardingTotalCount()
                : 1 + random.nextInt(Scenario.MOST_ITEMS);
        boolean numbered = !List.of(Scenario.EVERYWHERE, Scenario.ZONED).contains(job);
        cluster.rerun(at, job, items, fireTime, numbered ? count : 0);
    }

    /**
     * Cancels a delayed trigger close to the time at which it is due. Sometimes the leader is slow at that time, and a
     * new trigger uses the same key at once.
     */
    private void cancelAbout(int due, Instance at, String job, SplittableRandom random) {
        int cancelled = Math.max(0, due - 1_000 + random.nextInt(2_000));
        boolean slow = random.nextBoolean();
        int again = cancelled + random.nextInt(1_000);
        if (slow) {
            later(Math.max(0, due - 1_500), () -> cluster.living().stream()
                    .filter(instance -> instance.engine.leading())
                    .forEach(leader -> {
                        cluster.slow(leader, Duration.ofMillis(random.nextInt(Scenario.FASTEST_MILLIS, 2_000)));
                        later(5_000, () -> cluster.slow(leader, Duration.ZERO));
                    }));
        }
        later(cancelled, () -> {
            List<Instance> living = cluster.living();
            if (!over && !living.isEmpty()) {
                cluster.cancel(living.get(random.nextInt(living.size())), job);
            }
        });
        if (random.nextBoolean()) {
            later(again, () -> {
                if (!over && at.alive) {
                    cluster.triggerAfter(at, job, Duration.ofMillis(random.nextInt(3_000)));
                }
            });
        }
    }

    /**
     * Changes an override. Half of the changes end some seconds later. Sometimes a reply is lost, or another operator
     * changes the override just when the change ends.
     */
    private void change(
            Instance at, String job, String name, UnaryOperator<JobOverride> change, SplittableRandom random) {
        Instant now = cluster.scheduler.now();
        int millis = random.nextInt(1_000, 25_000);
        Instant until = random.nextBoolean() ? now.plusMillis(millis) : null;
        JobOverride.Change origin = new JobOverride.Change("operator", "", now, until);
        if (random.nextInt(4) == 0) {
            at.store.loseNextReply();
        }
        cluster.amend(at, job, override -> change.apply(override).because(origin, Set.of(name)));
        if (until != null && random.nextBoolean()) {
            later(millis + random.nextInt(200), () -> {
                if (at.alive && !over) {
                    cluster.amend(at, job, override -> override.withJobParameter("after " + millis));
                }
            });
        }
    }

    /** Returns the key of an item that exists or could exist. */
    private static String item(String job, Instance at, int number) {
        String id = at.engine.health().instanceId();
        return switch (job) {
            case Scenario.EVERYWHERE -> id == null ? "nobody" : id;
            case Scenario.ZONED -> number % 2 == 0 ? "a" : "b";
            default -> Integer.toString(number);
        };
    }

    private void later(int millis, Runnable task) {
        cluster.scheduler.after(Duration.ofMillis(millis), task);
    }

    /** Ends all faults that are still active. Killed instances stay dead. */
    void mend() {
        over = true;
        commands.takeBack();
        backfills.takeBack();
        List.copyOf(planted).forEach(this::setBack);
        if (cluster.living().isEmpty()) {
            join(new SplittableRandom(0));
        }
        if (cluster.jobs.values().stream().anyMatch(JobConfiguration::staticSharding)) {
            bringBack();
        }
        boolean asked = cluster.jobs.values().stream()
                .anyMatch(job -> job.requiredInstances().isPresent());
        if (asked && cluster.living().stream().noneMatch(instance -> Cluster.hasTag(instance.host))) {
            cluster.join("host-0", cluster.instances.size(), Duration.ZERO); // this instance may own the items
        }
        operator.releaseRequests();
        for (Instance instance : cluster.instances) {
            if (instance.killed) {
                continue;
            }
            instance.machine.hurry();
            cluster.slow(instance, Duration.ZERO);
            instance.machine.skew(Duration.ZERO);
            instance.store.releaseRequests();
            instance.store.releaseReplies();
            instance.store.releaseWatches();
            instance.store.lag(0);
            goOn(instance);
            instance.machine.wedge(false);
            if (away.remove(instance) != null) {
                back(instance);
            }
        }
    }
}
