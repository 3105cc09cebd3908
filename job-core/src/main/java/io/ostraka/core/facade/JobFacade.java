package io.ostraka.core.facade;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.SessionLossPolicy;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.ItemView;
import io.ostraka.core.coordination.JobView;
import io.ostraka.core.coordination.Verdict;
import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireDecision;
import io.ostraka.core.execution.ItemRun;
import io.ostraka.core.execution.JobBody;
import io.ostraka.core.execution.RunEnd;
import io.ostraka.core.facade.ItemHold.Phase;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Token;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Lane;
import io.ostraka.core.trigger.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job in this instance: from the alarm to users' code and back.
 *
 * <p>Everything here happens on the job's own lane. Whatever occurs — the alarm, a new plan, a reply, a run's end —
 * changes what is known and then calls {@link #advance}, which does all that can be done now: it reads what is unknown,
 * sends what has ended, and claims what is due. Nothing waits; a reply is one more occurrence.
 */
final class JobFacade {
    private static final Logger log = LoggerFactory.getLogger(JobFacade.class);
    /** How long the first of several completions waits for the others of its claim, so that they leave together. */
    private static final Duration LINGER = Duration.ofMillis(20);
    /** How many items go into one transaction at most, and how many bytes of trigger parameters. */
    private static final int MAX_MOVES = 500;

    private static final int MAX_PARAMETER_BYTES = 256 << 10;
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final String name;
    private final JobConfiguration registered;
    private final JobBody body;
    private final Wiring wiring;
    private final Lane lane;
    private final Map<String, ItemHold> holds = new TreeMap<>(ShardingPlan.ITEM_ORDER);
    private final Map<String, FireHold> fires = new HashMap<>();

    private @Nullable Session session;
    private boolean online;
    private volatile @Nullable JobSnapshot snapshot;
    private @Nullable Versioned<JobConfiguration> definition;
    private List<Trigger> triggers = List.of();
    private boolean readingPlan;
    private boolean planStale;
    private boolean lingering;
    private boolean flush;
    private int rejections;
    private long claims;
    private volatile @Nullable CompletableFuture<Void> drained;
    private volatile Set<String> busyItems = Set.of();
    /** Items whose code has not returned, with the id under which it was begun. */
    private final Map<String, String> executing = new java.util.concurrent.ConcurrentHashMap<>();

    /** Hosts a job; the configuration given here serves until the effective one is known. */
    JobFacade(JobConfiguration registered, JobBody body, Wiring wiring) {
        this.name = registered.jobName();
        this.registered = registered;
        this.body = body;
        this.wiring = wiring;
        this.lane = new Lane(wiring.platform().lanes());
    }

    // ---- what occurs

    /** A session is there, first or again; the instance's node has been written. */
    void connected(Session current) {
        lane.execute(() -> {
            session = current;
            online = true;
            // whatever happened meanwhile was not reported, and what was unanswered can be known now
            fires.values().forEach(fire -> fire.known = false);
            holds.values().forEach(ItemHold::reread);
            flush = true;
            readPlan();
        });
    }

    /** The connection is gone. */
    void suspended() {
        lane.execute(() -> online = false);
    }

    /** The session is over, or must be taken as over. */
    void lost(String reason) {
        lane.execute(() -> {
            boolean interrupt =
                    snapshot == null || snapshot.configuration().sessionLoss() == SessionLossPolicy.INTERRUPT;
            for (ItemHold hold : holds.values()) {
                if (hold.run != null && hold.end == null) {
                    hold.run.lose(reason);
                    if (interrupt) {
                        hold.run.cancel();
                    }
                }
            }
        });
    }

    void planChanged() {
        lane.execute(this::readPlan);
    }

    void triggersChanged(List<Trigger> all) {
        lane.execute(() -> {
            triggers = all.stream()
                    .filter(trigger -> trigger.request().job().equals(name))
                    .toList();
            holds.values().forEach(hold -> hold.quietUntil = Instant.MIN);
            advance();
        });
    }

    void runningGone(String item) {
        lane.execute(() -> {
            ItemHold hold = holds.get(item);
            if (hold != null && hold.phase == Phase.WAITING) {
                hold.reread();
                advance();
            }
        });
    }

    /** Looks after what events should have told: now and then after what is waited for, rarely after everything. */
    void look(boolean everything) {
        lane.execute(() -> {
            if (everything) {
                readPlan();
            }
            holds.values().stream()
                    .filter(hold -> hold.phase == Phase.WAITING || (everything && hold.phase == Phase.READY))
                    .forEach(ItemHold::reread);
            advance();
        });
    }

    /** Claims nothing more; completed once nothing of the job runs here any more. */
    synchronized CompletableFuture<Void> drain() {
        if (drained == null) {
            drained = new CompletableFuture<>();
            lane.execute(() -> {
                wiring.platform().alarm().cancel(name);
                for (ItemHold hold : holds.values()) {
                    if (hold.run != null) {
                        hold.run.leave();
                    }
                }
                flush = true;
                advance();
            });
        }
        return drained;
    }

    /** Tells what runs to end, and gives it up for others to take over. */
    void cancelRuns() {
        lane.execute(() -> holds.values().stream()
                .filter(hold -> hold.run != null && hold.end == null)
                .forEach(hold -> hold.run.cancel()));
    }

    /** Ends the job in this process. */
    void close() {
        wiring.platform().alarm().cancel(name);
        body.destroy();
    }

    /** Returns items whose code runs or whose end is still to be told. Any thread. */
    Set<String> busyItems() {
        return busyItems;
    }

    /** Returns items whose code was begun under an earlier session and has not returned. Any thread. */
    Set<String> itemsOfEarlierSessions(String instanceId) {
        Set<String> items = new HashSet<>();
        executing.forEach((item, owner) -> {
            if (!owner.equals(instanceId)) {
                items.add(item);
            }
        });
        return items;
    }

    /** Returns how long its runs may go on at shutdown. Any thread. */
    Duration shutdownGrace() {
        JobSnapshot known = snapshot;
        return (known == null ? registered : known.configuration()).shutdownGrace();
    }

    /** Tells whether it claims nothing more. Any thread. */
    boolean draining() {
        return drained != null;
    }

    String name() {
        return name;
    }

    // ---- the story of a trigger

    private void wake() {
        lane.execute(this::advance);
    }

    private void advance() {
        if (session != null && online && snapshot != null && !readingPlan) {
            readItems();
            if (flush) {
                flush = false;
                sendEnded();
            }
            if (drained == null) {
                claimDue();
            }
        }
        busyItems = busyNow();
        if (drained != null && busyItems.isEmpty()) {
            drained.complete(null);
        }
    }

    private Set<String> busyNow() {
        Set<String> busy = new HashSet<>();
        holds.values().stream().filter(ItemHold::busy).forEach(hold -> busy.add(hold.item));
        return busy;
    }

    private void claimDue() {
        JobSnapshot current = current();
        Instant now = wiring.platform().clock().now();
        Instant wakeAt = Instant.MAX;
        Map<String, Batch> batches = new LinkedHashMap<>();
        Set<String> begun = current.plan().closed() ? begunFires() : Set.of();
        for (String item : current.plan().itemsOf(session().instanceId())) {
            ItemHold hold = holds.get(item);
            if (hold == null || hold.phase != Phase.READY) {
                continue;
            }
            if (!hold.quietUntil.isAfter(now)) {
                Due due = FireDecision.decide(new FireDecision.Situation(
                        current, item, hold.known().value(), hold.interruption, triggers, begun, now));
                if (due instanceof Due.Nothing nothing) {
                    hold.quietUntil = nothing.wakeAt().orElse(Instant.MAX);
                } else if (due instanceof Due.Start start && clockAhead(start, now)) {
                    hold.quietUntil = now.plus(LONGEST_PAUSE);
                } else {
                    collect(hold, due, batches);
                    continue;
                }
            }
            wakeAt = hold.quietUntil.isBefore(wakeAt) ? hold.quietUntil : wakeAt;
        }
        batches.values().forEach(this::send);
        if (wakeAt.equals(Instant.MAX)) {
            wiring.platform().alarm().cancel(name);
        } else {
            wiring.platform().alarm().wakeAt(name, wakeAt, this::wake);
        }
    }

    /** A clock far ahead of the server's would run scheduled fires before their time. */
    private boolean clockAhead(Due.Start start, Instant now) {
        Duration ahead = Duration.between(wiring.coordination().membership().serverTime(), now);
        if (start.fire().triggered() || start.attempt() > 1 || ahead.compareTo(CLOCK_TOLERANCE) <= 0) {
            return false;
        }
        log.warn(
                "job '{}': this host's clock is {} ahead of ZooKeeper's; no scheduled fire is run; set it",
                name,
                ahead);
        wiring.instance().announceAgain();
        return true;
    }

    private void collect(ItemHold hold, Due due, Map<String, Batch> batches) {
        boolean first = due instanceof Due.Start start && start.attempt() == 1;
        io.ostraka.core.model.Fire fire = due instanceof Due.Start start ? start.fire() : ((Due.Settle) due).fire();
        if (!fire.triggered() || (due instanceof Due.Start && !first)) {
            batches.computeIfAbsent("", key -> new Batch(null)).add(hold, due);
            return;
        }
        FireHold known = fire(fire.id());
        if (known.known) {
            boolean concerned = known.progress == null
                    || known.progress.value().left().contains(hold.item)
                    || hold.known().value().unfinished();
            Due settled = concerned
                    ? due
                    : new Due.Settle(
                            fire,
                            hold.known().value().skipped(fire, io.ostraka.core.model.SkipReason.NOT_CONCERNED),
                            io.ostraka.api.ItemOutcome.SKIPPED);
            batches.computeIfAbsent(fire.id(), key -> new Batch(known)).add(hold, settled);
        }
    }

    /** What one claim's transaction is about. */
    private static final class Batch {
        final @Nullable FireHold fire;
        final Map<ItemHold, Due> dues = new LinkedHashMap<>();

        Batch(@Nullable FireHold fire) {
            this.fire = fire;
        }

        void add(ItemHold hold, Due due) {
            dues.put(hold, due);
        }
    }

    private void send(Batch batch) {
        int bytes = 1;
        for (Due due : batch.dues.values()) {
            bytes += due instanceof Due.Start start
                    ? start.fire().parameters().entrySet().stream()
                            .mapToInt(entry ->
                                    entry.getKey().length() + entry.getValue().length())
                            .sum()
                    : 0;
        }
        int most = Math.max(1, Math.min(MAX_MOVES, (int) ((long) MAX_PARAMETER_BYTES * batch.dues.size() / bytes)));
        Batch part = new Batch(batch.fire);
        for (Map.Entry<ItemHold, Due> due : batch.dues.entrySet()) {
            part.add(due.getKey(), due.getValue());
            if (part.dues.size() == most) {
                sendPart(part);
                part = new Batch(batch.fire);
                if (batch.fire != null) {
                    break; // the next part needs this one's progress; it is decided again after the reply
                }
            }
        }
        if (!part.dues.isEmpty()) {
            sendPart(part);
        }
    }

    private void sendPart(Batch batch) {
        Session sender = session();
        JobSnapshot decidedFrom = current();
        Instant now = wiring.platform().clock().now();
        Map<ItemHold, ItemRecord> written = new LinkedHashMap<>();
        List<Move> moves = new ArrayList<>();
        Map<String, io.ostraka.api.ItemOutcome> settled = new TreeMap<>();
        boolean begins = false;
        for (Map.Entry<ItemHold, Due> entry : batch.dues.entrySet()) {
            ItemHold hold = entry.getKey();
            Versioned<ItemRecord> from = hold.known();
            ItemRecord to;
            if (entry.getValue() instanceof Due.Start start) {
                begins |= start.attempt() == 1;
                hold.pendingNonce = sender.instanceId() + "/" + name + "/" + ++claims;
                to = from.value()
                        .claimed(
                                new Run(
                                        start.fire(),
                                        start.total(),
                                        start.attempt(),
                                        start.crashes(),
                                        sender.instanceId(),
                                        hold.pendingNonce,
                                        now,
                                        start.busySince()),
                                start.cursor(),
                                start.unrun());
            } else {
                Due.Settle settle = (Due.Settle) entry.getValue();
                to = settle.to();
                settled.put(hold.item, settle.outcome());
            }
            hold.phase = Phase.CLAIMING;
            written.put(hold, to);
            Running running = to.unfinished() ? Running.CREATE : Running.LEAVE;
            moves.add(new Move(hold.item, from, to, running, hold.handover));
        }
        FireWrite fireWrite = batch.fire == null ? null : progressOf(batch.fire, settled);
        String trigger = batch.fire != null && begins ? triggerOf(batch.fire.id) : null;
        Guard guard = new Guard(sender.instanceId(), decidedFrom.planVersion(), trigger);
        reply(
                wiring.coordination().items().commit(new ItemTransaction(name, guard, moves, fireWrite)),
                verdict -> claimed(decidedFrom, sender, batch, written, fireWrite, verdict));
    }

    private @Nullable String triggerOf(String fire) {
        return triggers.stream()
                .filter(trigger -> trigger.fire().id().equals(fire))
                .map(Trigger::name)
                .findFirst()
                .orElse(null);
    }

    /** The write of a fire's progress that belongs to ended items; null where there is nothing to write. */
    private @Nullable FireWrite progressOf(FireHold fire, Map<String, io.ostraka.api.ItemOutcome> ended) {
        Versioned<FireProgress> from = fire.progress;
        FireProgress to;
        if (from == null) {
            Trigger trigger = triggers.stream()
                    .filter(candidate -> candidate.fire().id().equals(fire.id))
                    .findFirst()
                    .orElse(null);
            if (trigger == null) {
                return null; // its progress was deleted by hand, and nobody waits for it
            }
            List<String> items = ShardingPlan.keys(current().plan().total()).stream()
                    .filter(trigger::concerns)
                    .toList();
            to = FireProgress.begun(trigger.name(), items).with(ended);
        } else {
            to = from.value().with(ended);
        }
        return from != null && to.equals(from.value())
                ? null
                : new FireWrite(fire.id, from, to, to.done() && !fire.triggerGone);
    }

    private void claimed(
            JobSnapshot decidedFrom,
            Session sender,
            Batch batch,
            Map<ItemHold, ItemRecord> written,
            @Nullable FireWrite fireWrite,
            Verdict verdict) {
        if (verdict instanceof Verdict.Done done) {
            rejections = 0;
            wrote(batch.fire, fireWrite, done);
            ItemHold.Cohort cohort = new ItemHold.Cohort();
            written.forEach((hold, to) -> {
                hold.wrote(hold.known().next(to, done.commit()));
                if (!to.unfinished()) {
                    hold.pendingNonce = null;
                    log.debug("job '{}' item {}: {}", name, hold.item, to.outcome());
                } else if (session == null || session.id() != sender.id()) {
                    hold.phase = Phase.UNREAD; // answered too late to be believed without a look
                } else {
                    start(hold, decidedFrom, cohort);
                }
            });
        } else {
            for (ItemHold hold : written.keySet()) {
                hold.phase = verdict instanceof Verdict.Unknown ? Phase.UNREAD : Phase.READY;
                hold.pendingNonce = verdict instanceof Verdict.Unknown ? hold.pendingNonce : null;
            }
            outdated(verdict, batch.fire);
        }
        advanceSoon();
    }

    private void start(ItemHold hold, JobSnapshot decidedFrom, ItemHold.Cohort cohort) {
        Versioned<ItemRecord> record = hold.known();
        Instant previous = record.value().cursor();
        ShardingPlan plan = decidedFrom.plan();
        ItemRun.Claimed claimed = new ItemRun.Claimed(
                record.version(),
                Token.pack(plan.fenceEpoch(), record.mzxid()),
                Token.pack(plan.fenceEpoch(), plan.generation()));
        ItemRun run = new ItemRun(
                decidedFrom,
                hold.item,
                record.value(),
                previous.isAfter(plan.since()) ? previous : null,
                claimed,
                wiring.runs());
        hold.pendingNonce = null;
        hold.run = run;
        hold.runningNode = true;
        hold.phase = Phase.RUNNING;
        hold.cohort = cohort;
        cohort.left++;
        executing.put(hold.item, run.instanceId());
        wiring.executor().start(body, run, end -> lane.execute(() -> ended(hold, run, end)));
    }

    private void ended(ItemHold hold, ItemRun run, RunEnd end) {
        hold.cohort.left--;
        executing.remove(hold.item);
        if (hold.run != run) {
            return;
        }
        hold.end = end;
        hold.endedAt = wiring.platform().clock().now();
        if (session != null && !run.instanceId().equals(session.instanceId())) {
            wiring.instance().announceAgain(); // it says which runs of earlier sessions have not returned
            hold.reread();
        } else if (hold.phase == Phase.RUNNING) {
            hold.phase = hold.record == null ? Phase.UNREAD : Phase.ENDED;
        }
        if (hold.cohort.left <= 0) {
            flush = true;
        } else if (!lingering) {
            lingering = true;
            wiring.platform()
                    .timer()
                    .after(
                            LINGER,
                            () -> lane.execute(() -> {
                                lingering = false;
                                flush = true;
                                advance();
                            }));
        }
        advance();
    }

    private void sendEnded() {
        Map<String, List<ItemHold>> groups = new LinkedHashMap<>();
        for (ItemHold hold : holds.values()) {
            if (hold.phase == Phase.COMPLETING) {
                return; // what ends meanwhile gathers for the next transaction, which that one's reply sends
            }
            if (hold.phase == Phase.ENDED && hold.run != null) {
                io.ostraka.core.model.Fire fire = hold.run.claim().fire();
                List<ItemHold> group =
                        groups.computeIfAbsent(fire.triggered() ? fire.id() : "", key -> new ArrayList<>());
                if (group.size() < MAX_MOVES) {
                    group.add(hold);
                }
            }
        }
        groups.forEach((fireId, group) -> {
            FireHold fire = fireId.isEmpty() ? null : fire(fireId);
            if (fire == null || fire.known) {
                sendEnded(fire, group);
            }
        });
    }

    private void sendEnded(@Nullable FireHold fire, Collection<ItemHold> group) {
        Map<ItemHold, ItemRecord> written = new LinkedHashMap<>();
        Map<String, io.ostraka.api.ItemOutcome> outcomes = new TreeMap<>();
        List<Move> moves = new ArrayList<>();
        boolean failover = current().configuration().failover();
        for (ItemHold hold : group) {
            ItemRecord to = hold.ending(failover);
            hold.phase = Phase.COMPLETING;
            written.put(hold, to);
            if (to.outcome() != null) {
                outcomes.put(hold.item, to.outcome());
            }
            moves.add(new Move(hold.item, hold.known(), to, hold.runningNode ? Running.DELETE : Running.LEAVE, false));
        }
        FireWrite fireWrite = fire == null || fire.progress == null ? null : progressOf(fire, outcomes);
        reply(
                wiring.coordination().items().commit(new ItemTransaction(name, null, moves, fireWrite)),
                verdict -> completed(fire, written, fireWrite, verdict));
    }

    private void completed(
            @Nullable FireHold fire,
            Map<ItemHold, ItemRecord> written,
            @Nullable FireWrite fireWrite,
            Verdict verdict) {
        flush = true;
        if (verdict instanceof Verdict.Done done) {
            rejections = 0;
            wrote(fire, fireWrite, done);
            written.forEach((hold, to) -> {
                hold.wrote(hold.known().next(to, done.commit()));
                hold.runOver();
                if (to.unfinished()) {
                    hold.phase = Phase.UNREAD; // handed over: whoever has the item takes it up as any other would
                }
            });
            dropForeignItems();
        } else {
            for (ItemHold hold : written.keySet()) {
                hold.phase = verdict instanceof Verdict.Unknown ? Phase.UNREAD : Phase.ENDED;
            }
            outdated(verdict, fire);
        }
        advanceSoon();
    }

    // ---- what is known, and what must be read again

    private static void wrote(@Nullable FireHold fire, @Nullable FireWrite write, Verdict.Done done) {
        if (fire != null && write != null) {
            Versioned<FireProgress> from = write.from();
            fire.progress = from == null
                    ? new Versioned<>(
                            write.to(),
                            0,
                            done.commit().zxid(),
                            done.commit().zxid(),
                            done.commit().at(),
                            new com.google.gson.JsonObject())
                    : from.next(write.to(), done.commit());
        }
    }

    private void outdated(Verdict verdict, @Nullable FireHold fire) {
        rejections++;
        if (verdict instanceof Verdict.Outdated outdated) {
            log.debug("job '{}': {} of item {} is outdated", name, outdated.about(), outdated.item());
            ItemHold hold = outdated.item() == null ? null : holds.get(outdated.item());
            switch (outdated.about()) {
                case RECORD, HANDOVER -> {
                    if (hold != null) {
                        hold.reread();
                    }
                }
                case RUNNING -> {
                    if (hold != null && hold.run != null) {
                        hold.runningNode = false;
                    } else if (hold != null) {
                        hold.reread();
                    }
                }
                case PLAN -> readPlan();
                case INSTANCE -> {
                    online = false;
                    wiring.instance().nodeMissing();
                }
                case FIRE -> {
                    if (fire != null) {
                        fire.known = false;
                    }
                }
                case TRIGGER -> {
                    if (fire != null) {
                        fire.triggerGone = true;
                        triggers = triggers.stream()
                                .filter(trigger -> !trigger.fire().id().equals(fire.id))
                                .toList();
                    }
                    wiring.instance().readTriggers();
                }
                case LEADERSHIP -> throw new IllegalStateException("no item transaction is about leadership");
            }
        } else if (verdict instanceof Verdict.Refused) {
            log.error("job '{}': ZooKeeper refused a transaction; check its access rights and jute.maxbuffer", name);
        }
        if (fire != null && verdict instanceof Verdict.Unknown) {
            fire.known = false;
        }
    }

    /** Goes on at once, or after growing pauses when transaction after transaction is rejected. */
    private void advanceSoon() {
        if (rejections <= 3) {
            advance();
            return;
        }
        Duration pause = Duration.ofMillis(20L << Math.min(rejections - 3, 8));
        wiring.platform()
                .timer()
                .after(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE, () -> lane.execute(this::advance));
    }

    private FireHold fire(String id) {
        FireHold fire = fires.computeIfAbsent(id, FireHold::new);
        if (!fire.known && !fire.reading) {
            fire.reading = true;
            wiring.coordination()
                    .fires()
                    .progress(name, id)
                    .whenComplete((progress, error) -> lane.execute(() -> {
                        fire.reading = false;
                        if (error == null) {
                            fire.known = true;
                            fire.progress = progress.orElse(null);
                            flush = true;
                            advance();
                        } else {
                            rejections++;
                            advanceSoon();
                        }
                    }));
        }
        return fire;
    }

    private Set<String> begunFires() {
        Set<String> begun = new HashSet<>();
        for (Trigger trigger : triggers) {
            FireHold fire = fire(trigger.fire().id());
            if (fire.known && fire.progress != null) {
                begun.add(fire.id);
            }
        }
        return begun;
    }

    private void readPlan() {
        if (readingPlan) {
            planStale = true;
            return;
        }
        if (session == null || !online) {
            return;
        }
        readingPlan = true;
        planStale = false;
        wiring.coordination()
                .jobs()
                .job(name)
                .whenComplete((view, error) -> lane.execute(() -> {
                    readingPlan = false;
                    if (error == null) {
                        take(view);
                    } else {
                        planStale = true;
                        rejections++;
                    }
                    if (planStale && error == null) {
                        readPlan();
                    } else if (planStale) {
                        wiring.platform().timer().after(Duration.ofMillis(500), () -> lane.execute(this::readPlan));
                    }
                    advance();
                }));
    }

    private void take(JobView view) {
        if (view.problem() != null) {
            log.error("job '{}': {}; what was read last stays in force, correct the node", name, view.problem());
        }
        Versioned<ShardingPlan> plan = view.plan();
        definition = view.definition() == null ? definition : view.definition();
        if (plan == null || definition == null) {
            return;
        }
        if (plan.value().configMzxid() > definition.mzxid()) {
            planStale = true; // the definition was read before the plan that was made from a later one
        }
        try {
            JobConfiguration effective = view.overrideOrNone().applyTo(definition.value());
            Duration threshold =
                    effective.misfireThreshold().orElse(session().timeout().multipliedBy(2));
            snapshot = new JobSnapshot(
                    effective,
                    view.overrideOrNone(),
                    plan.value(),
                    plan.version(),
                    Schedules.of(name, effective.schedule(), plan.value().anchor()),
                    threshold);
        } catch (OstrakaException e) {
            log.error("{}; what was in force stays, correct the override", e.getMessage());
            if (snapshot == null) {
                return;
            }
            snapshot = new JobSnapshot(
                    snapshot.configuration(),
                    snapshot.override(),
                    plan.value(),
                    plan.version(),
                    snapshot.times(),
                    snapshot.misfireThreshold());
        }
        for (String item : plan.value().itemsOf(session().instanceId())) {
            ItemHold hold = holds.computeIfAbsent(item, ItemHold::new);
            hold.quietUntil = Instant.MIN;
            boolean rewritten = hold.phase == Phase.READY
                    && hold.known().value().incarnation() != plan.value().incarnation();
            if (rewritten || hold.phase == Phase.WAITING) {
                hold.reread();
            }
        }
        dropForeignItems();
        Set<String> waiting = new HashSet<>();
        triggers.forEach(trigger -> waiting.add(trigger.fire().id()));
        fires.keySet()
                .removeIf(id -> !waiting.contains(id)
                        && holds.values().stream()
                                .noneMatch(hold -> hold.run != null
                                        && hold.run.claim().fire().id().equals(id)));
    }

    /** Lets go of items that others have, once nothing of them runs here. */
    private void dropForeignItems() {
        if (session == null) {
            return;
        }
        Set<String> own = new HashSet<>(current().plan().itemsOf(session.instanceId()));
        holds.values().stream()
                .filter(hold -> !own.contains(hold.item) && hold.run != null)
                .forEach(hold -> hold.run.leave());
        holds.values().removeIf(hold -> !own.contains(hold.item) && !hold.busy());
    }

    private void readItems() {
        Session reader = session();
        List<String> unread = new ArrayList<>();
        for (ItemHold hold : holds.values()) {
            if (hold.phase == Phase.UNREAD) {
                hold.phase = Phase.READING;
                unread.add(hold.item);
            }
        }
        if (unread.isEmpty()) {
            return;
        }
        JobSnapshot decidedFrom = current();
        wiring.coordination()
                .items()
                .read(name, unread, true)
                .whenComplete((views, error) -> lane.execute(() -> {
                    boolean stale = error != null || session == null || session.id() != reader.id();
                    if (stale) {
                        rejections += error == null ? 0 : 1;
                        unread.stream().map(holds::get).forEach(hold -> {
                            if (hold != null && hold.phase == Phase.READING) {
                                hold.phase = Phase.UNREAD;
                            }
                        });
                    } else {
                        ItemHold.Cohort cohort = new ItemHold.Cohort();
                        views.forEach(view -> take(view, reader, decidedFrom, cohort));
                        flush = true;
                        dropForeignItems();
                    }
                    advanceSoon();
                }));
    }

    private void take(ItemView view, Session reader, JobSnapshot decidedFrom, ItemHold.Cohort cohort) {
        ItemHold hold = holds.get(view.item());
        if (hold == null || hold.phase != Phase.READING) {
            return;
        }
        if (view.problem() != null) {
            log.error("job '{}': {}; the item waits, correct the node", name, view.problem());
        }
        ItemRun run = hold.run;
        switch (hold.take(view, reader)) {
            case SETTLED -> {
                if (hold.phase == Phase.RUNNING && hold.end != null) {
                    hold.phase = Phase.ENDED;
                }
            }
            case CLAIMED -> start(hold, decidedFrom, cohort);
            case ORPHANED -> handOver(hold);
            case FENCED -> {
                if (run != null) {
                    log.warn("{} was fenced: another instance has it; what it does is refused by its token", run);
                    run.lose("another instance has it");
                    run.cancel();
                }
            }
        }
    }

    private void handOver(ItemHold hold) {
        ItemRecord to = hold.known().value().handedOver();
        Running running = hold.runningNode ? Running.DELETE : Running.LEAVE;
        hold.phase = Phase.CLAIMING;
        Move move = new Move(hold.item, hold.known(), to, running, false);
        reply(wiring.coordination().items().commit(new ItemTransaction(name, null, List.of(move), null)), verdict -> {
            hold.phase = Phase.UNREAD;
            advanceSoon();
        });
    }

    private void reply(java.util.concurrent.CompletionStage<Verdict> stage, Consumer<Verdict> then) {
        stage.whenComplete(
                (verdict, error) -> lane.execute(() -> then.accept(error == null ? verdict : new Verdict.Unknown())));
    }

    private Session session() {
        return java.util.Objects.requireNonNull(session, "session");
    }

    private JobSnapshot current() {
        return java.util.Objects.requireNonNull(snapshot, "snapshot");
    }
}
