package io.ostraka.core.leader;

import com.google.gson.JsonObject;
import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmKind;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.decide.AlarmCause;
import io.ostraka.core.decide.AlarmDecision;
import io.ostraka.core.model.AlarmsView;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobAlarms.Entry;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alarms of one job, or those of the namespace, during a term of leadership. Handles an alarm in three steps:
 * writes it to the node, delivers it, and marks it as delivered. If this instance stops between two steps, the next
 * leader continues. Confined to the leader's executor.
 */
final class AlarmNode {
    private static final Logger log = LoggerFactory.getLogger(AlarmNode.class);

    private final @Nullable String job;
    private final Term term;
    private final AlarmDelivery delivery;

    /**
     * The alarms as last read or written; null if there is no node. Written on the leader's executor, read on any
     * thread.
     */
    private volatile @Nullable Versioned<JobAlarms> node;

    /** Present cause of each kind; empty if there is none. Kinds whose causes are not known yet have no entry. */
    private final Map<AlarmKind, Optional<AlarmCause>> known = new EnumMap<>(AlarmKind.class);

    private Set<AlarmKind> silenced = Set.of();
    private Map<String, String> labels = Map.of();
    private final List<Delivered> delivered = new ArrayList<>();
    /** Deliveries whose handler has not returned, or whose pause after a failure has not ended. */
    private final Set<String> underWay = new HashSet<>();

    private boolean busy;
    private boolean stale;
    private boolean refused;
    private boolean ending;
    /** True if the node is unreadable and must not be replaced. */
    private boolean readOnly;

    private record Delivered(String id, String handler, Alarm.State state) {}

    AlarmNode(@Nullable String job, Term term, AlarmDelivery delivery) {
        this.job = job;
        this.term = term;
        this.delivery = delivery;
    }

    /** Stores the alarms that were read. If the node is damaged, the next write replaces it. */
    void read(AlarmsView view) {
        UnreadableNode damage = view.damage();
        node = damage == null ? view.value() : damage.replacedBy(JobAlarms.none(job));
        readOnly = damage != null && !damage.replaceable();
        term.alarmsDropped(job, alarms().dropped());
        if (damage != null && readOnly) {
            log.warn("{}; this leader does not write or deliver these alarms", damage.text());
        } else if (damage != null) {
            log.warn("{}; its alarms are lost, and present problems cause new alarms", damage.text());
        }
    }

    /** Returns the present alarms. */
    JobAlarms alarms() {
        Versioned<JobAlarms> present = node;
        return present == null ? JobAlarms.none(job) : present.value();
    }

    /** Returns the kinds of present alarms, without silenced ones. */
    Set<AlarmKind> audible() {
        return alarms().firing()
                .filter(entry -> !entry.silenced())
                .map(Entry::kind)
                .collect(Collectors.toSet());
    }

    /**
     * Updates the alarms, and continues pending deliveries.
     *
     * @param kinds kinds whose causes are known
     * @param causes present causes of these kinds
     * @param silence kinds that an operator has silenced
     * @param jobLabels labels of the job
     */
    void update(
            Set<AlarmKind> kinds,
            Map<AlarmKind, AlarmCause> causes,
            Set<AlarmKind> silence,
            Map<String, String> jobLabels) {
        kinds.forEach(kind -> known.put(kind, Optional.ofNullable(causes.get(kind))));
        silenced = silence;
        labels = jobLabels;
        ending = false;
        proceed();
    }

    /** Updates the descriptions of causes that are known. Begins and ends no alarm. */
    void describe(Map<AlarmKind, AlarmCause> causes) {
        known.replaceAll((kind, cause) ->
                cause.isPresent() ? Optional.ofNullable(causes.get(kind)).or(() -> cause) : cause);
        if (!causes.isEmpty()) {
            proceed();
        }
    }

    /** Ends all alarms, because the job no longer exists, and deletes the node after their delivery. */
    void end() {
        for (AlarmKind kind : AlarmKind.values()) {
            known.put(kind, Optional.empty());
        }
        ending = true;
        proceed();
    }

    private void proceed() {
        if (busy || term.over || readOnly) {
            return;
        }
        if (stale) {
            reread();
            return;
        }
        JobAlarms present = alarms();
        JobAlarms next = AlarmDecision.next(
                present,
                known,
                silenced,
                delivery.names(),
                term.coordination.membership().serverTime());
        for (Delivered each : delivered) {
            for (Entry entry : next.alarms()) {
                if (entry.id().equals(each.id)) {
                    next = next.with(entry.told(each.handler, each.state).completedBy(delivery.names()));
                }
            }
        }
        if (!next.equals(present)) {
            write(present, next, delivered.size());
            return;
        }
        delivered.clear();
        Versioned<JobAlarms> last = node;
        boolean done = present.alarms().stream().allMatch(entry -> entry.delivered(delivery.names()));
        if (ending && done && last != null) {
            delete(last);
            return;
        }
        for (Entry entry : present.alarms()) {
            for (String handler : delivery.names()) {
                entry.due(handler).ifPresent(state -> deliver(entry, handler, state));
            }
        }
    }

    /** Sends a request about the node. No other one is sent before its reply. */
    private <T> void send(Supplier<CompletionStage<T>> request, Consumer<@Nullable T> then) {
        busy = true;
        term.onReply(request, (reply, error) -> {
            busy = false;
            then.accept(reply);
        });
    }

    private void reread() {
        send(() -> term.coordination.alarms().of(job), view -> {
            if (view != null) { // otherwise the next update tries again
                stale = false;
                read(view);
                proceed();
            }
        });
    }

    private void write(JobAlarms from, JobAlarms to, int marks) {
        Versioned<JobAlarms> before = node;
        send(() -> term.coordination.alarms().write(term.leadership, before, to), result -> {
            if (result == null) {
                stale = true;
            } else if (term.checked(result) instanceof TransactionResult.Done done) {
                node = before == null
                        ? created(to, done)
                        : before.next(to, done.commit().zxid(), done.commit().at());
                delivered.subList(0, marks).clear();
                refused = false;
                publish(from, to);
                dropped(from, to);
                proceed();
            } else {
                failed(result);
            }
        });
    }

    /** Returns the value of a node that was created and set in one transaction. */
    private static Versioned<JobAlarms> created(JobAlarms to, TransactionResult.Done done) {
        return new Versioned<>(
                to, 1, done.commit().zxid(), done.commit().zxid(), done.commit().at(), new JsonObject());
    }

    private void failed(TransactionResult result) {
        if (result instanceof TransactionResult.Refused && !refused) {
            refused = true;
            log.warn(
                    "ZooKeeper refuses to write the alarms of {}, so no handler receives them; check access rights and quotas",
                    subject());
        }
        stale = result instanceof TransactionResult.Unknown
                || (result instanceof TransactionResult.Outdated outdated && outdated.about() == About.ALARMS);
        if (stale) {
            proceed();
        }
    }

    private void delete(Versioned<JobAlarms> present) {
        send(() -> term.coordination.alarms().delete(term.leadership, present), result -> {
            if (result != null && term.checked(result) instanceof TransactionResult.Done) {
                node = null;
                term.alarmsDropped(job, Map.of());
            } else {
                stale = true;
            }
        });
    }

    private void publish(JobAlarms from, JobAlarms to) {
        for (Entry entry : to.alarms()) {
            Entry before = from.alarms().stream()
                    .filter(other -> other.id().equals(entry.id()))
                    .findFirst()
                    .orElse(null);
            if (before == null) {
                term.events.alarm(message(entry, Alarm.State.FIRING), entry.silenced());
            }
            if (!entry.firing() && (before == null || before.firing())) {
                term.events.alarm(message(entry, Alarm.State.RESOLVED), entry.silenced());
            }
        }
    }

    /** Reports the alarms that were dropped, because a handler has failed for a long time and the node is full. */
    private void dropped(JobAlarms from, JobAlarms to) {
        Map<String, Integer> now = to.dropped();
        if (from.dropped().isEmpty() && !now.isEmpty()) {
            log.warn(
                    "{}: alarms are dropped, because {} of them wait for alarm {} that fails; the next message of each kind"
                            + " tells the number of dropped ones; repair the handler",
                    subject(),
                    JobAlarms.MOST_ALARMS,
                    Names.counted("handler", now.keySet()));
        }
        term.alarmsDropped(job, now);
    }

    private String subject() {
        return job == null ? "the namespace" : "job '" + job + "'";
    }

    private Alarm message(Entry entry, Alarm.State state) {
        return entry.message(delivery.namespace(), job, state, labels, null);
    }

    private void deliver(Entry entry, String handler, Alarm.State state) {
        String key = handler + " " + entry.id() + " " + state;
        if (!underWay.add(key)) {
            return;
        }
        Alarm message = entry.message(delivery.namespace(), job, state, labels, handler);
        delivery.deliver(handler, message, () -> !term.over && due(entry.id(), handler, state))
                .whenComplete((pause, error) -> term.execute(() -> {
                    if (pause == null) {
                        underWay.remove(key);
                        delivered.add(new Delivered(entry.id(), handler, state));
                        proceed();
                    } else {
                        term.after(pause, () -> {
                            underWay.remove(key);
                            proceed();
                        });
                    }
                }));
    }

    /** Returns whether a message is still due when the handler is free for it. May be called on any thread. */
    private boolean due(String id, String handler, Alarm.State state) {
        return alarms().alarms().stream()
                .anyMatch(entry -> entry.id().equals(id)
                        && entry.due(handler).filter(state::equals).isPresent());
    }

    /** Returns whether the node exists, or must be created because a cause is known. */
    boolean exists() {
        return node != null || known.values().stream().anyMatch(Optional::isPresent);
    }

    /**
     * Returns, for the kind of each present alarm, a time just before its problem began. The fire that was due when the
     * problem began is therefore after this time.
     */
    Map<AlarmKind, Instant> began() {
        Map<AlarmKind, Instant> began = new EnumMap<>(AlarmKind.class);
        alarms().firing().forEach(entry -> began.put(entry.kind(), entry.since().minusNanos(1)));
        return began;
    }
}
