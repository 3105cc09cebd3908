package io.ostraka.core.instance;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.Health;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.core.job.JobContext;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health of this instance and of its jobs. Other classes report facts to this class, which records when each fact
 * became true. Thread-safe; never waits for ZooKeeper.
 */
final class InstanceHealth implements EventSubscriber {
    private static final Logger log = LoggerFactory.getLogger(InstanceHealth.class);
    /**
     * Delay of a report. Changes during the delay share one report. A problem that ends during the delay is not
     * reported.
     */
    private static final Duration REPORT_DELAY = Duration.ofSeconds(1);
    /**
     * Maximum time without a sign of life from the engine. After this time, only a restart of the process helps. The
     * engine normally gives a sign of life every few seconds.
     */
    private static final Duration LIFELESS = Duration.ofMinutes(2);

    private final Platform platform;
    private final Supplier<Instant> serverTime;
    private final HealthReports reports;

    // guarded by this
    private final Map<String, Map<Kind, Reason>> hosted = new TreeMap<>();
    private final Map<String, Map<Kind, Reason>> planning = new TreeMap<>();
    private @Nullable String instanceId;
    private boolean connected;
    private Instant connectedSince;
    private @Nullable String problem;
    private @Nullable String unprepared;
    private @Nullable String limit;
    private InstanceState state = InstanceState.STARTING;
    private @Nullable Instant clockAheadSince;
    private @Nullable String unreadable;
    /** Problems of the application's extensions, such as its event subscribers, by the name of the extension. */
    private final Map<String, String> ofExtensions = new TreeMap<>();

    /** Kinds of alarms for which this instance has found a cause, by job. */
    private final Map<String, Set<AlarmKind>> alarms = new TreeMap<>();

    private @Nullable Instant historyLost;
    private @Nullable Reason frozen;
    private @Nullable Reason drained;
    private boolean leading;
    private boolean reportScheduled;
    private Runnable afterChanges = () -> {};
    private Runnable afterAlarms = () -> {};
    /** Health computed from the current facts; null if a fact has changed since then. */
    private @Nullable Health health;

    /** Time of the engine's latest sign of life, in monotonic nanoseconds. */
    private volatile long signOfLife;

    private Health reported;

    /**
     * Creates the health of this instance.
     *
     * @param serverTime returns the current time on the server's clock, as far as it is known. Reasons are stamped with
     *     it, because this host's clock may be wrong and operators compare the reasons of several instances
     */
    InstanceHealth(Platform platform, Supplier<Instant> serverTime, List<HealthListener> listeners) {
        this.platform = platform;
        this.serverTime = serverTime;
        this.reports = new HealthReports(platform, listeners);
        this.signOfLife = platform.clock().monotonicNanos();
        this.connectedSince = platform.clock().now();
        this.reported = health();
    }

    /**
     * Sets the action that is called after changes. Changes within a second share one call. The action must only
     * enqueue work.
     */
    synchronized void afterChanges(Runnable action) {
        afterChanges = action;
    }

    /**
     * Sets the action that is called after each change of {@link #alarms()} or {@link #historyLost()}. The action must
     * only enqueue work.
     */
    synchronized void afterAlarms(Runnable action) {
        afterAlarms = action;
    }

    // ---- facts

    /** Records the kinds of alarms for which this instance has found a cause among the items of a job. */
    synchronized void alarms(String job, Set<AlarmKind> kinds) {
        if (kinds.isEmpty()) {
            alarms.remove(job);
        } else {
            alarms.put(job, kinds);
        }
        afterAlarms.run();
    }

    /** Records that an event subscriber has lost data of the history. */
    synchronized void lostHistory() {
        historyLost = serverTime.get();
        afterAlarms.run();
    }

    /** Records a sign of life, which shows that the engine's timer and executor work. May be called on any thread. */
    void alive() {
        signOfLife = platform.clock().monotonicNanos();
    }

    private boolean live() {
        return state == InstanceState.STOPPED || platform.clock().monotonicNanos() - signOfLife < LIFELESS.toNanos();
    }

    /** Records that there is a connection. The problem that was found without it no longer applies. */
    synchronized void reached() {
        problem = null;
        changed();
    }

    /** Records that the instance is connected and has written its node. */
    synchronized void connected(String id) {
        instanceId = id;
        problem = null;
        connection(true);
    }

    synchronized void disconnected() {
        if (connected) {
            problem = null; // problems that are found during the outage are kept
        }
        connection(false);
    }

    private void connection(boolean now) {
        if (connected != now) {
            connected = now;
            connectedSince = platform.clock().now();
        }
        changed();
    }

    /**
     * Records a problem that keeps this instance from working: ZooKeeper refuses the instance's node, or no connection
     * is usable.
     */
    synchronized void refused(String why) {
        problem = why;
        connection(false);
    }

    /** Records a limit that the servers impose on this client; null when the limit has ended. */
    synchronized void limited(@Nullable String what) {
        limit = what;
        changed();
    }

    synchronized void state(InstanceState now) {
        state = now;
        changed();
    }

    /** Records why the preparation by the instance listeners has failed; null when it has succeeded. */
    synchronized void unprepared(@Nullable String why) {
        unprepared = why;
        changed();
    }

    /** Records and logs the problem of an extension of the application; null if the problem has ended. */
    synchronized void extension(String name, @Nullable String text) {
        String before = text == null ? ofExtensions.remove(name) : ofExtensions.put(name, text);
        if (Objects.equals(before, text)) {
            return;
        }
        if (before == null) {
            log.error("{} has a problem: {}", name, text);
        } else if (text == null) {
            log.info("{} no longer has its problem: {}", name, before);
        }
        changed();
    }

    /** Records whether this machine's clock is too far ahead. */
    synchronized void clockAhead(boolean ahead) {
        if (ahead != (clockAheadSince != null)) {
            clockAheadSince = ahead ? serverTime.get() : null;
            changed();
        }
    }

    /** Records why the operators' orders for the namespace cannot be read; null if they can. */
    synchronized void ordersUnreadable(@Nullable String why) {
        if (!Objects.equals(unreadable, why)) {
            unreadable = why;
            changed();
        }
    }

    /**
     * Records why no item may start; null if items may start. If the namespace is frozen, the text contains the
     * operator and the end of the freeze.
     */
    synchronized void frozen(@Nullable String why) {
        frozen = reason(
                frozen, Kind.FROZEN, why, "; no scheduled fire, manual trigger or takeover starts on any instance");
    }

    /**
     * Records why this instance is drained; null if it is not drained. The text contains the author and the end of the
     * drain.
     */
    synchronized void drained(@Nullable String why) {
        drained = reason(drained, Kind.DRAINED, why == null ? null : "drained " + why, "; this instance gets no items");
    }

    private @Nullable Reason reason(@Nullable Reason before, Kind kind, @Nullable String why, String effect) {
        Reason now =
                why == null ? null : new Reason(kind, why + effect, before == null ? serverTime.get() : before.since());
        if (!Objects.equals(before, now)) {
            changed();
        }
        return now;
    }

    @Override
    public boolean receives(Class<? extends Event> kind) {
        return kind == LeaderChanged.class;
    }

    @Override
    public void on(Event event) {
        if (event instanceof LeaderChanged leader) {
            leading(leader.leads());
        }
    }

    /**
     * Records whether this instance leads. When it stops leading, forgets the planning problems that it found as the
     * leader.
     */
    private synchronized void leading(boolean leads) {
        leading = leads;
        if (!leads) {
            planning.clear();
        }
        changed();
    }

    /** Records that this instance hosts a job. The job is not registered yet. */
    synchronized void hosted(String job) {
        note(hosted, job, Map.of(Kind.NOT_REGISTERED, JobContext.UNANSWERED));
    }

    /** Records the reasons why a hosted job does not run; empty if it runs. */
    synchronized void job(String job, Map<Kind, String> reasons) {
        if (hosted.containsKey(job)) {
            note(hosted, job, reasons);
        }
    }

    synchronized void unhosted(String job) {
        hosted.remove(job);
        alarms.remove(job);
        changed();
    }

    /** Records the reasons why the leader cannot plan a job; empty if it can. */
    synchronized void planning(String job, Map<Kind, String> reasons) {
        if (reasons.isEmpty()) { // no entry is kept, because the job may have been deleted
            if (planning.remove(job) != null) {
                changed();
            }
        } else if (leading) {
            note(planning, job, reasons);
        }
    }

    private void note(Map<String, Map<Kind, Reason>> all, String job, Map<Kind, String> reasons) {
        Map<Kind, Reason> before = all.get(job);
        if (before != null && HealthReports.texts(before.values()).equals(reasons)) {
            return;
        }
        Instant now = serverTime.get();
        Map<Kind, Reason> after = new EnumMap<>(Kind.class);
        reasons.forEach((kind, text) -> {
            Reason known = before == null ? null : before.get(kind);
            after.put(kind, new Reason(kind, text, known == null ? now : known.since()));
        });
        all.put(job, after);
        changed();
    }

    // ---- the resulting health

    /** Returns the kinds of alarms for which this instance has found a cause, by job. */
    synchronized Map<String, Set<AlarmKind>> alarms() {
        return Map.copyOf(alarms);
    }

    /** Returns the latest time at which data of the history was lost; null if none was lost. */
    synchronized @Nullable Instant historyLost() {
        return historyLost;
    }

    /** Returns the current health. Callers ask often, so the method returns the same object until a fact changes. */
    synchronized Health health() {
        Health known = health;
        if (known == null || known.live() != live()) {
            known = create();
            health = known;
        }
        return known;
    }

    private Health create() {
        Map<String, JobHealth> jobs = new TreeMap<>();
        hosted.forEach((job, reasons) -> jobs.put(job, new JobHealth(job, true, reasons(job, reasons))));
        planning.forEach((job, reasons) -> {
            if (!hosted.containsKey(job) && !reasons.isEmpty()) {
                jobs.put(job, new JobHealth(job, false, List.copyOf(reasons.values())));
            }
        });
        return new Health(
                instanceId,
                state,
                live(),
                connected,
                connectedSince,
                Stream.concat(Stream.of(problem, unreadable, unprepared, limit), ofExtensions.values().stream())
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null),
                leading,
                jobs);
    }

    private List<Reason> reasons(String job, Map<Kind, Reason> own) {
        Map<Kind, Reason> all = new EnumMap<>(Kind.class);
        all.putAll(own);
        all.putAll(planning.getOrDefault(job, Map.of())); // replaces the job's own reason, which has fewer details
        if (!connected && !own.containsKey(Kind.NOT_REGISTERED)) {
            add(
                    all,
                    Kind.DISCONNECTED,
                    "no connection to ZooKeeper; running items continue, and no new item starts",
                    connectedSince);
        }
        if (clockAheadSince != null) {
            add(
                    all,
                    Kind.CLOCK_AHEAD,
                    "this host's clock is more than 10 s ahead of ZooKeeper's; set it",
                    clockAheadSince);
        }
        for (Reason ofInstance : new Reason[] {frozen, drained}) {
            if (ofInstance != null) {
                all.put(ofInstance.kind(), ofInstance);
            }
        }
        return new ArrayList<>(all.values());
    }

    private static void add(Map<Kind, Reason> all, Kind kind, String text, Instant since) {
        all.put(kind, new Reason(kind, text, since));
    }

    // ---- reporting

    private void changed() {
        health = null;
        if (!reportScheduled) {
            platform.later(REPORT_DELAY, this::report);
            reportScheduled = true;
        }
    }

    private synchronized void report() {
        reportScheduled = false;
        try {
            reportChanges();
        } finally {
            afterChanges.run();
        }
    }

    private void reportChanges() {
        Health now = health();
        if (now.equals(reported)) {
            health = reported; // avoids two equal objects, because each may describe a thousand jobs
            return;
        }
        reports.changed(reported, now, problem == null ? unreadable : problem);
        reported = now;
    }
}
