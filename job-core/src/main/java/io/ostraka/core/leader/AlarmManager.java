package io.ostraka.core.leader;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.Scope;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.decide.AlarmCause;
import io.ostraka.core.decide.AlarmCauses;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.decide.JobAlarmCauses;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.AlarmsView;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.PublishedDigest;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Refresh;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides all alarms of the namespace during a term of leadership. Each instance publishes with its health the kinds of
 * alarms for which it has found causes in its jobs. When these kinds change, this class reads the job's records and
 * decides from them alone, so an outdated or incomplete publication causes no false alarm. The periodic audits read all
 * records anyway. They also find causes in jobs whose owners have stopped working without losing their session. At
 * other times this class reads no records. Confined to the leader's executor.
 */
final class AlarmManager {
    private static final Logger log = LoggerFactory.getLogger(AlarmManager.class);
    /**
     * Pause before the published health digests of the instances are read again. Changes during the pause share one
     * read.
     */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(16);
    /** Time from the beginning of a term to the read of the alarms. */
    private static final Duration START = Duration.ofSeconds(10);

    /** Time for which the audits of all jobs use the same read of the triggers. */
    private static final Duration TRIGGERS_VALID = Duration.ofSeconds(30);

    /** Time for which the loss of history data causes an alarm. */
    private static final Duration LOSS = Duration.ofHours(1);

    /** The jobs of the namespace. */
    interface Jobs {
        /** Returns a job as last read; empty if it is not known. */
        Optional<JobView> view(String job);
    }

    private static final Set<AlarmKind> ITEM_KINDS = EnumSet.of(
            AlarmKind.MISSED, AlarmKind.LATE, AlarmKind.RUNS_TOO_LONG, AlarmKind.FAILING, AlarmKind.QUARANTINED);

    private final Term term;
    private final AlarmDelivery delivery;
    private final Jobs known;
    private final AlarmNode ofNamespace;
    /** Beginning of the term, in monotonic nanoseconds. */
    private final long begun;

    private final Map<String, Watched> jobs = new TreeMap<>();
    /** Jobs for which a failure of this class has been logged. */
    private final Set<String> failed = new TreeSet<>();

    private final ExpectedFires expected = new ExpectedFires();

    private List<HealthDigest> digests = List.of();
    private Optional<Versioned<Orders>> orders = Optional.empty();
    private boolean ordersKnown;
    /** True after the nodes of all alarms were read in this term. */
    private boolean ready;

    private final Refresh<List<AlarmsView>> nodes;
    private final Refresh<List<PublishedDigest>> digestReads;
    /** Beginning of the latest read of the digests, in monotonic nanoseconds. The next read waits twice its duration. */
    private long digestsRead;
    /** True after the digests were first read in this term. */
    private boolean digestsKnown;

    /** Manual triggers as last read for an audit; null before the first read. */
    private @Nullable Triggers triggers;
    /** Time at which {@link #triggers} was read, in monotonic nanoseconds. */
    private long triggersRead;

    /** The present knowledge of the leader about the alarms of a job. */
    private final class Watched {
        final AlarmNode node;
        /** Kinds for which instances have found causes. */
        Set<AlarmKind> published = Set.of();
        /** Kinds for which the records have shown causes when they were last read. */
        Set<AlarmKind> found = Set.of();
        /** Time of the next read of the records, in monotonic nanoseconds. */
        long nextRead = Long.MIN_VALUE;

        Duration pause = PAUSE;
        boolean readingItems;

        /** True if the published kinds have changed since the records were last read. */
        boolean unread;

        /** True if an instance has hosted the job during this term. */
        boolean hosted;

        @Nullable Instant unhosted;

        @Nullable Instant unplaced;

        Watched(String job) {
            node = new AlarmNode(job, term, delivery);
        }
    }

    AlarmManager(Term term, Jobs known, AlarmDelivery delivery) {
        this.term = term;
        this.known = known;
        this.delivery = delivery;
        this.begun = term.platform.clock().monotonicNanos();
        this.ofNamespace = new AlarmNode(null, term, delivery);
        this.nodes =
                new Refresh<>("the read of the alarms", term, null, () -> !ready, this::readNodes, this::takeNodes);
        this.digestReads =
                term.refresh("the read of the published health", PAUSE, this::readDigests, this::takeDigests);
    }

    /**
     * Called with the operators' orders for the namespace, each time they have been read; null if they are unreadable.
     */
    void orders(@Nullable Optional<Versioned<Orders>> read) {
        ordersKnown = true; // while the orders are unreadable, running instances still start items
        orders = read == null ? Optional.empty() : read;
    }

    // ---- nodes and digests

    /** Reads the nodes of all alarms, unless they were read in this term. */
    void read() {
        nodes.demand();
    }

    private CompletionStage<List<AlarmsView>> readNodes() {
        term.coordination.membership().followHealth(); // before the read, so that no change is missed
        return term.coordination.alarms().all();
    }

    private void takeNodes(List<AlarmsView> views) {
        ready = true;
        views.forEach(this::take);
        digestsChanged();
    }

    private void take(AlarmsView view) {
        if (view.job() == null) {
            ofNamespace.read(view);
            return;
        }
        Watched job = state(view.job());
        job.node.read(view);
        job.found = firing(job.node.alarms());
        job.unread = !job.found.isEmpty(); // their causes may have ended while no instance led
    }

    private static Set<AlarmKind> firing(JobAlarms alarms) {
        return alarms.firing()
                .map(JobAlarms.Entry::kind)
                .filter(ITEM_KINDS::contains)
                .collect(Collectors.toSet());
    }

    private Watched state(String job) {
        return jobs.computeIfAbsent(job, Watched::new);
    }

    /** Called when the published health of an instance has changed. */
    void digestsChanged() {
        if (ready) { // the read of the alarms is followed by a read of the digests
            digestReads.demand();
        }
    }

    private CompletionStage<List<PublishedDigest>> readDigests() {
        digestsRead = term.platform.clock().monotonicNanos();
        return term.coordination.membership().digests();
    }

    private void takeDigests(List<PublishedDigest> read) {
        Duration pause = Duration.ofNanos(term.platform.clock().monotonicNanos() - digestsRead)
                .multipliedBy(2);
        digestReads.rest(pause.compareTo(PAUSE) > 0 ? pause : PAUSE);
        digestsKnown = true;
        digests = read.stream()
                .filter(each -> each.digest() != null)
                .map(each -> each.digest().value())
                .toList();
        Map<String, Set<AlarmKind>> published = new HashMap<>();
        digests.forEach(digest -> digest.alarms().forEach((job, kinds) -> published
                .computeIfAbsent(job, first -> EnumSet.noneOf(AlarmKind.class))
                .addAll(kinds)));
        Set<String> changed = new TreeSet<>(published.keySet());
        changed.addAll(jobs.keySet());
        for (String job : changed) {
            Watched state = state(job);
            Set<AlarmKind> now = published.getOrDefault(job, Set.of());
            if (!now.equals(state.published)) {
                state.published = now;
                state.pause = PAUSE;
                state.unread = true;
                state.nextRead = Long.MIN_VALUE;
            }
        }
        changed.forEach(this::lookAgain);
    }

    // ---- jobs

    /** Updates the alarms of a job. */
    void look(JobView view) {
        guard(view, () -> examine(view));
    }

    /** Runs a step for one job. A failure of the step does not affect other jobs. */
    private void guard(JobView view, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) { // for example because of extreme times in an override
            if (failed.add(view.name())) {
                log.error(
                        "the alarms of job '{}' could not be decided because of a defect; they are tried again, please report it",
                        view.name(),
                        e);
            }
        }
    }

    private void examine(JobView view) {
        JobConfiguration judged = judged(view);
        if (!ready || !ordersKnown || judged == null) {
            return;
        }
        Watched state = state(view.name());
        noteHost(view, state);
        if (state.unread || !state.found.containsAll(state.published)) {
            readItems(view, state);
        }
        update(view, judged, state, JobAlarmCauses.KINDS, Map.of());
    }

    /** Returns the configuration by which the alarms of a job are judged; null while its nodes do not tell it. */
    private static @Nullable JobConfiguration judged(JobView view) {
        return view.definition() == null || !view.overrideKnown() ? null : view.configuration();
    }

    /**
     * Records the time since which the job has had no host, and the time since which it has had unplaced items. At the
     * beginning of a term, the plan shows these times approximately.
     */
    private void noteHost(JobView view, Watched state) {
        Versioned<ShardingPlan> plan = view.plan();
        Versioned<Definition> definition = view.definition();
        if (term.hosts(view.name())) {
            state.hosted = true;
            state.unhosted = null;
        } else if (state.unhosted == null) {
            state.unhosted = state.hosted ? now() : term.unhostedSince(view);
        }
        if (plan != null && !JobAlarmCauses.hasUnplaced(plan.value(), term.placeable(view))) {
            state.unplaced = null;
        } else if (state.unplaced == null && definition != null) {
            state.unplaced = plan == null ? definition.modified() : plan.modified();
        }
    }

    private void update(
            JobView view,
            JobConfiguration judged,
            Watched state,
            Set<AlarmKind> known,
            Map<AlarmKind, AlarmCause> ofItems) {
        Map<AlarmKind, AlarmCause> causes = new EnumMap<>(AlarmKind.class);
        causes.putAll(JobAlarmCauses.of(
                view, judged, state.unhosted, state.unplaced, state.node.began().keySet(), now()));
        causes.putAll(ofItems);
        if (causes.isEmpty() && !state.node.exists()) {
            return;
        }
        state.node.update(known, causes, view.overrideOrNone().silencedAlarms(), judged.labels());
    }

    /** Called with all items of a job after an audit has read them. */
    void audited(JobView view, List<ItemView> items) {
        Watched state = jobs.get(view.name());
        if (!ready || state == null || state.readingItems) {
            return;
        }
        long time = term.platform.clock().monotonicNanos();
        if (triggers != null && time - triggersRead < TRIGGERS_VALID.toNanos()) {
            compare(view, state, items, triggers);
            return;
        }
        term.onReply(() -> term.coordination.fires().triggers(), (read, error) -> {
            if (read != null) {
                triggers = read;
                triggersRead = time;
                compare(view, state, items, read);
            }
        });
    }

    /**
     * Reads the records again if an audit shows other kinds of causes than the latest read of the records did.
     * Otherwise updates the descriptions of the lasting alarms, such as the latest error.
     */
    private void compare(JobView view, Watched state, List<ItemView> items, Triggers all) {
        guard(view, () -> causes(view, state, items, all.of(view.name()).open()).ifPresent(causes -> {
            if (!state.found.equals(causes.keySet())) {
                state.unread = true;
                state.nextRead = Long.MIN_VALUE;
                lookAgain(view.name());
            } else {
                state.node.describe(causes);
            }
        }));
    }

    private void readItems(JobView view, Watched state) {
        long time = term.platform.clock().monotonicNanos();
        if (state.readingItems || time < state.nextRead) {
            return;
        }
        state.readingItems = true;
        state.unread = false;
        String job = view.name();
        term.onReply(
                () -> term.coordination
                        .items()
                        .keys(job)
                        .thenCompose(keys -> term.coordination.items().read(job, keys, Items.Watch.NOTHING))
                        .thenCombine(
                                term.coordination.fires().triggers(),
                                (items, triggers) ->
                                        new Read(items, triggers.of(job).open())),
                (read, error) -> {
                    state.readingItems = false;
                    if (read == null) {
                        state.unread = true; // the next call of look() tries again
                        return;
                    }
                    Duration pause = state.pause;
                    state.nextRead = term.platform.clock().monotonicNanos() + pause.toNanos();
                    Duration longer = pause.multipliedBy(2);
                    state.pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
                    known.view(job).ifPresent(latest -> guard(latest, () -> take(latest, state, read)));
                    // looks again, because the owner's clock may be a moment ahead, or the published kinds have changed
                    // during the read
                    if (state.unread || !state.found.containsAll(state.published)) {
                        term.after(pause, () -> lookAgain(job));
                    }
                });
    }

    private void lookAgain(String job) {
        known.view(job).ifPresent(this::look);
    }

    private record Read(List<ItemView> items, List<Trigger> triggers) {}

    private void take(JobView view, Watched state, Read read) {
        JobConfiguration judged = judged(view);
        Optional<Map<AlarmKind, AlarmCause>> causes = causes(view, state, read.items, read.triggers);
        if (judged != null && causes.isPresent()) {
            state.found = causes.get().keySet();
            Set<AlarmKind> all = EnumSet.copyOf(ITEM_KINDS);
            all.addAll(JobAlarmCauses.KINDS);
            update(view, judged, state, all, causes.get());
        }
    }

    private Optional<Map<AlarmKind, AlarmCause>> causes(
            JobView view, Watched state, List<ItemView> items, List<Trigger> triggers) {
        return values(view)
                .map(job -> AlarmCauses.items(
                        job.lasting(state.node.began()), items(job.snapshot().plan(), items), triggers, now()));
    }

    private Optional<AlarmCauses.Job> values(JobView view) {
        Versioned<ShardingPlan> plan = view.plan();
        Versioned<Definition> definition = view.definition();
        JobConfiguration judged = judged(view);
        if (plan == null || definition == null || judged == null) {
            return Optional.empty();
        }
        JobSnapshot snapshot;
        try {
            snapshot = new JobSnapshot(
                    judged,
                    view.overrideOrNone(),
                    plan.value(),
                    plan.version(),
                    term.schedule.times(judged, plan.value()),
                    judged.misfireThreshold().orElse(Planning.MISFIRE_THRESHOLD), // matters only if alarms begin sooner
                    definition.value().onceListeners());
        } catch (OstrakaException e) {
            log.debug("job '{}': {}", view.name(), e.toString());
            return Optional.empty();
        }
        Instant ordered = orders.map(Versioned::modified).orElse(Instant.MIN);
        return Optional.of(new AlarmCauses.Job(
                snapshot,
                AlarmCauses.changed(view, ordered),
                plan.modified(),
                orders.filter(value -> value.value().frozen() != null).isPresent(),
                Map.of()));
    }

    private Collection<AlarmCauses.Item> items(ShardingPlan plan, List<ItemView> views) {
        Map<String, String> owners = plan.owners();
        Set<String> keys = Set.copyOf(plan.keys());
        Map<String, String> zones = term.instances.stream()
                .collect(Collectors.toMap(
                        InstanceInfo::id,
                        info -> ScopedItems.zoneKey(info.self().zone()),
                        (a, b) -> a));
        List<AlarmCauses.Item> items = new ArrayList<>();
        for (ItemView view : views) {
            if (view.record() != null && keys.contains(view.item())) {
                boolean ofAnotherZone = plan.scope() == Scope.ONE_PER_ZONE
                        && !view.item().equals(zones.get(owners.getOrDefault(view.item(), "")));
                items.add(new AlarmCauses.Item(
                        view.item(),
                        view.record().value(),
                        view.record().modified(), // server's time of the claim; the owner's clock may be wrong
                        view.interrupted() ? Interruption.CRASHED : Interruption.NONE,
                        ofAnotherZone));
            }
        }
        return items;
    }

    /**
     * Updates the alarms of the whole namespace, and ends the alarms of jobs that no longer exist.
     *
     * @param present names of all jobs
     */
    void lookAround(Set<String> present) {
        if (triggers != null && term.platform.clock().monotonicNanos() - triggersRead > TRIGGERS_VALID.toNanos()) {
            triggers = null;
        }
        if (!ready) {
            // the leader must plan the jobs first, even if requests are slow
            if (term.platform.clock().monotonicNanos() - begun > START.toNanos()) {
                read();
            }
            return;
        }
        jobs.forEach((job, state) -> {
            if (!present.contains(job) && state.node.exists()) {
                state.node.end();
            }
        });
        jobs.entrySet()
                .removeIf(entry -> !present.contains(entry.getKey())
                        && !entry.getValue().node.exists());
        Map<AlarmKind, AlarmCause> lost = digestsKnown ? lost() : Map.of();
        if (digestsKnown && (!lost.isEmpty() || ofNamespace.exists())) {
            ofNamespace.update(Set.of(AlarmKind.HISTORY_LOST), lost, Set.of(), Map.of());
        }
    }

    /** Returns the state of jobs for monitoring systems; empty if the alarms of this term are not known yet. */
    Map<String, Status.Led> status(List<JobView> views) {
        Map<String, Status.Led> all = new TreeMap<>();
        if (ready && ordersKnown) {
            Instant now = now();
            for (JobView view : views) {
                Watched state = jobs.get(view.name());
                Set<AlarmKind> alarms = state == null ? Set.of() : state.node.audible();
                guard(
                        view,
                        () -> all.put(
                                view.name(),
                                new Status.Led(expected.of(view, orders, () -> values(view), now), alarms)));
            }
            expected.retain(all.keySet());
        }
        return all;
    }

    /** Returns the present alarms that concern the whole namespace. */
    Set<AlarmKind> ofNamespace() {
        return ofNamespace.audible();
    }

    private Map<AlarmKind, AlarmCause> lost() {
        Set<String> living = term.living();
        List<HealthDigest> losers = digests.stream()
                .filter(digest -> living.contains(digest.instance())
                        && digest.historyLost() != null
                        && digest.historyLost().plus(LOSS).isAfter(now()))
                .toList();
        return losers.stream()
                .map(HealthDigest::historyLost)
                .min(Instant::compareTo)
                .map(since -> Map.of(
                        AlarmKind.HISTORY_LOST,
                        new AlarmCause(
                                AlarmKind.HISTORY_LOST,
                                since,
                                List.of(),
                                0,
                                "the history has dropped rows on "
                                        + losers.stream()
                                                .map(HealthDigest::instance)
                                                .sorted()
                                                .collect(Collectors.joining(", "))
                                        + "; see the health of these instances for the cause")))
                .orElse(Map.of());
    }

    private Instant now() {
        return term.coordination.membership().serverTime();
    }
}
