package io.ostraka.core.instance;

import io.ostraka.api.Health;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.core.job.JobContext;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this instance and its jobs are: it is told facts, adds since when they hold, and says in the log and to listeners
 * what has changed. Thread-safe; asks nobody.
 */
final class InstanceHealth implements EventSubscriber {
    private static final Logger log = LoggerFactory.getLogger(InstanceHealth.class);
    /** How long changes gather before they are told: what is over by then is nobody's concern. */
    private static final Duration GATHERING = Duration.ofSeconds(1);
    /** Kinds that the log names elsewhere: once for the instance, or with what is known only there. */
    private static final Set<Kind> SAID_ELSEWHERE =
            EnumSet.of(Kind.DISCONNECTED, Kind.CLOCK_AHEAD, Kind.PLACELESS_ITEMS, Kind.LONG_RUNNING_ITEMS);

    /** Without a sign of life of the engine for so long, only a restart helps: it gives one every few seconds. */
    private static final Duration LIFELESS = Duration.ofMinutes(2);

    private final Platform platform;
    private final List<Teller> tellers;

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
    private boolean leading;
    private boolean gathering;
    /** What the facts come to; null until somebody asks. */
    private @Nullable Health health;

    /** When the engine gave its latest sign of life, monotonic. */
    private volatile long signOfLife;

    private Health told;
    private final Map<String, Map<Kind, String>> toldOfJobs = new HashMap<>();

    InstanceHealth(Platform platform, List<HealthListener> listeners) {
        this.platform = platform;
        this.tellers = listeners.stream()
                .map(listener -> new Teller(listener, new SerialExecutor(platform.workers())))
                .toList();
        this.signOfLife = platform.clock().monotonicNanos();
        this.connectedSince = platform.clock().now();
        this.told = health();
    }

    // ---- facts

    /** The engine's timer and its lanes get on. Any thread. */
    void alive() {
        signOfLife = platform.clock().monotonicNanos();
    }

    private boolean live() {
        return state == InstanceState.STOPPED || platform.clock().monotonicNanos() - signOfLife < LIFELESS.toNanos();
    }

    /** There is a connection, and the instance is registered. */
    synchronized void connected(String id) {
        instanceId = id;
        problem = null;
        connection(true);
    }

    /** There is none. */
    synchronized void disconnected() {
        if (connected) {
            problem = null; // not the reason that was found since: the session's end may come after it
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

    /** The instance can't be registered, or not as it is now, and this is why. */
    synchronized void refused(String why) {
        problem = why;
        connection(false);
    }

    /** What the servers don't take though they should; null when that is over. */
    synchronized void limited(@Nullable String what) {
        limit = what;
        changed();
    }

    /** The instance is in another state. */
    synchronized void state(InstanceState now) {
        state = now;
        changed();
    }

    /** What must come before the instance's first work has failed, and why; null when it is done. */
    synchronized void unprepared(@Nullable String why) {
        unprepared = why;
        changed();
    }

    /** Whether this host's clock is too far ahead. */
    synchronized void clockAhead(boolean ahead) {
        if (ahead != (clockAheadSince != null)) {
            clockAheadSince = ahead ? platform.clock().now() : null;
            changed();
        }
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

    /** Forgets what the instance knew as the leader when it stops leading. */
    private synchronized void leading(boolean leads) {
        leading = leads;
        if (!leads) {
            planning.clear();
        }
        changed();
    }

    /** The job is hosted here from now on. */
    synchronized void hosted(String job) {
        note(hosted, job, Map.of(Kind.NOT_REGISTERED, JobContext.UNANSWERED));
    }

    /** What keeps a job that is hosted here from running. */
    synchronized void job(String job, Map<Kind, String> reasons) {
        if (hosted.containsKey(job)) {
            note(hosted, job, reasons);
        }
    }

    /** The job is no longer hosted here. */
    synchronized void unhosted(String job) {
        hosted.remove(job);
        changed();
    }

    /** What keeps a job from being planned, as its leader sees it. */
    synchronized void planning(String job, Map<Kind, String> reasons) {
        if (reasons.isEmpty()) { // the job may be gone: nothing of it is kept
            if (planning.remove(job) != null) {
                changed();
            }
        } else if (leading) {
            note(planning, job, reasons);
        }
    }

    private void note(Map<String, Map<Kind, Reason>> all, String job, Map<Kind, String> reasons) {
        Map<Kind, Reason> before = all.get(job);
        if (before != null && texts(before.values()).equals(reasons)) {
            return;
        }
        Instant now = platform.clock().now();
        Map<Kind, Reason> after = new EnumMap<>(Kind.class);
        reasons.forEach((kind, text) -> {
            Reason known = before == null ? null : before.get(kind);
            after.put(kind, new Reason(kind, text, known == null ? now : known.since()));
        });
        all.put(job, after);
        changed();
    }

    private static Map<Kind, String> texts(Collection<Reason> reasons) {
        Map<Kind, String> texts = new EnumMap<>(Kind.class);
        reasons.forEach(reason -> texts.put(reason.kind(), reason.text()));
        return texts;
    }

    // ---- what they come to

    /** Returns the same one until something changes: it is asked for often. */
    synchronized Health health() {
        Health known = health;
        if (known == null || known.live() != live()) {
            known = made();
            health = known;
        }
        return known;
    }

    private Health made() {
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
                problem != null ? problem : unprepared != null ? unprepared : limit,
                leading,
                jobs);
    }

    private List<Reason> reasons(String job, Map<Kind, Reason> own) {
        Map<Kind, Reason> all = new EnumMap<>(Kind.class);
        all.putAll(own);
        all.putAll(planning.getOrDefault(job, Map.of())); // of the same thing the leader knows more
        if (!connected && !own.containsKey(Kind.NOT_REGISTERED)) {
            add(
                    all,
                    Kind.DISCONNECTED,
                    "no connection to ZooKeeper; what runs goes on, nothing starts",
                    connectedSince);
        }
        if (clockAheadSince != null) {
            add(
                    all,
                    Kind.CLOCK_AHEAD,
                    "this host's clock is more than 10 s ahead of ZooKeeper's; set it",
                    clockAheadSince);
        }
        return new ArrayList<>(all.values());
    }

    private static void add(Map<Kind, Reason> all, Kind kind, String text, Instant since) {
        all.put(kind, new Reason(kind, text, since));
    }

    // ---- telling

    private void changed() {
        health = null;
        if (!gathering) {
            try {
                platform.later(GATHERING, this::tell);
                gathering = true;
            } catch (Throwable e) { // what has changed is worth more than that it is told: the next change tells it
                log.error("a change of health can't be told; the next one will tell of it", e);
            }
        }
    }

    private synchronized void tell() {
        gathering = false;
        Health now = health();
        if (now.equals(told)) {
            health = told; // of two that say the same of a thousand jobs, one is enough
            return;
        }
        log(told, now);
        told = now;
        tellers.forEach(teller -> teller.tell(now));
    }

    /** Tells one listener, on a worker, for its code may do anything; what changes while it is busy gathers. */
    private record Teller(HealthListener listener, SerialExecutor lane, AtomicReference<@Nullable Health> next) {
        Teller(HealthListener listener, SerialExecutor lane) {
            this(listener, lane, new AtomicReference<>());
        }

        void tell(Health now) {
            if (next.getAndSet(now) == null) {
                lane.execute(this::call);
            }
        }

        private void call() {
            Health latest = next.getAndSet(null);
            try {
                if (latest != null) {
                    listener.healthChanged(latest);
                }
            } catch (Throwable e) { // users' code
                log.error("a health listener failed: {}", listener.getClass().getName(), e);
            }
        }
    }

    private void log(Health before, Health now) {
        if (now.connected() != before.connected()
                || (!now.connected() && !Objects.equals(now.problem(), before.problem()))) {
            if (now.connected()) {
                log.info("connected to ZooKeeper as {}", now.instanceId());
            } else if (now.problem() != null) {
                log.error("not registered at ZooKeeper: {}", now.problem());
            } else {
                log.warn(
                        "no connection to ZooKeeper; what runs goes on, nothing of {} jobs starts",
                        now.jobs().size());
            }
        }
        if (now.leading() != before.leading()) {
            log.info(now.leading() ? "this instance leads" : "this instance doesn't lead any more");
        }
        if (now.connected()) { // without a connection all of them wait for the same
            toldOfJobs.keySet().retainAll(now.jobs().keySet());
            now.jobs().values().forEach(this::log);
        }
    }

    private void log(JobHealth job) {
        Map<Kind, String> reasons = texts(job.reasons());
        if (JobContext.UNANSWERED.equals(reasons.get(Kind.NOT_REGISTERED))) {
            return; // that it begins is no news
        }
        reasons.keySet().removeAll(SAID_ELSEWHERE);
        Map<Kind, String> before = toldOfJobs.put(job.job(), reasons);
        if (reasons.equals(before == null ? Map.of() : before)) {
            return;
        }
        if (reasons.isEmpty()) {
            log.info("job '{}' runs as configured again", job.job());
            return;
        }
        String state = job.status() == Status.STOPPED ? "is stopped here" : "is limited";
        String why = String.join("; ", reasons.values());
        boolean grave = reasons.keySet().stream()
                .anyMatch(kind -> kind.needsAttention() && (before == null || !before.containsKey(kind)));
        if (grave) {
            log.error("job '{}' {}: {}", job.job(), state, why);
        } else {
            log.info("job '{}' {}: {}", job.job(), state, why);
        }
    }
}
