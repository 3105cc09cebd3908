package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Progress;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.event.JobPurged;
import io.ostraka.api.event.OverrideChanged;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.decide.Explanation;
import io.ostraka.core.event.Events;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of operators. A request waits until the instance is connected. If its caller cancels it before that, it is
 * not sent. Requests may be submitted on any thread. All other work is confined to the instance's executor.
 */
final class OperatorRequests {
    private static final Logger log = LoggerFactory.getLogger(OperatorRequests.class);

    private final Jobs jobs;
    private final Items items;
    private final Membership membership;
    private final InstanceExecutor executor;
    private final BooleanSupplier established;
    private final Events events;
    private final Supplier<String> self;
    private final Clock clock;
    private final List<Runnable> waiting = new ArrayList<>();
    private volatile boolean closed;

    /**
     * @param established returns whether the instance is connected and its node is written
     * @param self returns the id of this instance
     */
    OperatorRequests(
            Coordination coordination,
            InstanceExecutor executor,
            BooleanSupplier established,
            Events events,
            Supplier<String> self,
            Clock clock) {
        this.jobs = coordination.jobs();
        this.items = coordination.items();
        this.membership = coordination.membership();
        this.executor = executor;
        this.established = established;
        this.events = events;
        this.self = self;
        this.clock = clock;
    }

    /** Returns the exception for a job that is not registered. */
    static CoordinationException unknown(String job) {
        return new CoordinationException(
                "job '" + job + "' is not registered in this namespace: check the name, or register the job first");
    }

    /** Returns the exception for a call after the instance was closed. */
    static CoordinationException closedNow() {
        return new CoordinationException("this registry is closed; open a new one");
    }

    CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        return ask(() -> amended(job, change));
    }

    private CompletionStage<Void> amended(String job, UnaryOperator<JobOverride> change) {
        Set<String> changed = new TreeSet<>();
        return jobs.amend(job, present -> {
                    JobOverride next = change.apply(present);
                    if (next.schedule() != null) {
                        FireSchedules.validate(job, next.schedule());
                    }
                    changed.clear(); // drops the result of an attempt that another write has made obsolete
                    changed.addAll(JobOverride.changed(present, next));
                    return next;
                })
                .thenApply(done -> {
                    publish(new OverrideChanged(job, changed, self.get(), clock.now()));
                    return done;
                });
    }

    CompletionStage<Void> disableItem(String job, String item, boolean disabled) {
        return ask(() -> jobs.job(job)
                .thenCombine(items.keys(job), (view, keys) -> {
                    boolean before = view.overrideKnown()
                            && view.overrideOrNone().disabledItems().contains(item);
                    if (view.definition() != null && !before) {
                        requireOneOf(view, keys, item);
                    }
                    return view;
                })
                .thenCompose(view -> amended(
                        job,
                        override -> override.withDisabledItems(changed(override.disabledItems(), item, disabled)))));
    }

    private static void requireOneOf(JobView view, List<String> keys, String item) {
        Versioned<ShardingPlan> plan = view.plan();
        JobConfiguration wanted = view.overrideKnown()
                ? view.effective()
                : Objects.requireNonNull(view.definition()).value().configuration();
        boolean numbered = ShardingPlan.numbered(wanted.scope());
        int total = Math.max(
                wanted.shardingTotalCount(), plan == null ? 0 : plan.value().total());
        boolean known = numbered
                ? item.matches("0|[1-9][0-9]{0,8}") && Integer.parseInt(item) < total
                : keys.contains(item) || (plan != null && plan.value().keys().contains(item));
        if (!known) {
            throw new JobConfigurationException(
                    view.name(), "item", item, "one of its items: " + (numbered ? "0 to " + (total - 1) : keys));
        }
    }

    /**
     * Disables or enables an instance, or all instances on a host. Returns the ids of the matching registered instances
     * that host the job.
     */
    CompletionStage<Set<String>> disableInstance(String job, String named, boolean disabled) {
        return ask(() -> membership.instances().thenCompose(living -> {
            JobOverride alone = JobOverride.NONE.withDisabledInstances(Set.of(named));
            List<InstanceInfo> hosts =
                    living.stream().filter(each -> each.jobs().contains(job)).toList();
            Set<String> meant = hosts.stream()
                    .filter(alone::disables)
                    .map(InstanceInfo::id)
                    .collect(Collectors.toCollection(TreeSet::new));
            List<String> others = hosts.stream().map(InstanceInfo::id).toList();
            return amended(job, override -> {
                        if (!disabled
                                && meant.isEmpty()
                                && !override.disabledInstances().contains(named)) {
                            throw new JobConfigurationException(
                                    job, "instance", named, "one that is disabled: " + override.disabledInstances());
                        }
                        return override.withDisabledInstances(changed(override.disabledInstances(), named, disabled));
                    })
                    .thenApply(done -> {
                        if (disabled && meant.isEmpty()) {
                            log.warn(
                                    "job '{}': instance or host '{}' is disabled, but no living instance that hosts the job is"
                                            + " meant by that, only those to come; living: {}",
                                    job,
                                    named,
                                    others);
                        }
                        return meant;
                    });
        }));
    }

    private static Set<String> changed(Set<String> names, String name, boolean add) {
        Set<String> next = new TreeSet<>(names);
        if (add) {
            next.add(name);
        } else {
            next.remove(name);
        }
        return next;
    }

    CompletionStage<Void> release(String job, String item) {
        return ask(() -> items.release(job, item).thenApply(done -> {
            publish(new ItemReleased(job, item, self.get(), clock.now()));
            return done;
        }));
    }

    CompletionStage<Void> purge(String job) {
        return ask(() -> jobs.purge(job).thenApply(done -> {
            publish(new JobPurged(job, self.get(), clock.now()));
            return done;
        }));
    }

    private void publish(Event event) {
        if (events.received(event.getClass())) {
            events.publish(event);
        }
    }

    CompletionStage<Map<String, Progress>> progress(String job) {
        return ask(() -> jobs.job(job).thenCompose(view -> {
            if (view.definition() == null && view.problem() == null) {
                throw unknown(job);
            }
            return items.keys(job).thenCompose(keys -> items.progress(job, keys));
        }));
    }

    /** Explains why an item is on its instance or on none. */
    CompletionStage<String> explain(String job, String item) {
        return ask(() -> jobs.job(job).thenApply(view -> {
            Versioned<ShardingPlan> plan = view.plan();
            if (plan == null) {
                throw new CoordinationException("job '" + job
                        + "' has no readable plan: the leader has not planned it yet, or the job does not exist");
            }
            if (!view.overrideKnown()) {
                throw new CoordinationException(String.valueOf(view.problem(view, "")));
            }
            return Explanation.of(job, item, plan.value(), view.overrideOrNone());
        }));
    }

    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        executor.execute(() -> {
            waiting.add(() -> ask(request, answer));
            connected();
        });
        if (closed) { // the executor may no longer run the step above
            answer.completeExceptionally(closedNow());
        }
        return answer;
    }

    private <T> void ask(Supplier<CompletionStage<T>> request, CompletableFuture<T> answer) {
        if (closed) {
            answer.completeExceptionally(closedNow());
        } else if (!answer.isDone()) {
            CompletableFuture.completedStage(request)
                    .thenCompose(Supplier::get) // turns an exception of the supplier into a failed stage
                    .whenComplete((value, error) -> {
                        if (error == null) {
                            answer.complete(value);
                        } else {
                            answer.completeExceptionally(error);
                        }
                    });
        }
    }

    /** Sends the waiting requests if the instance is connected. */
    void connected() {
        if (closed || established.getAsBoolean()) {
            List<Runnable> now = List.copyOf(waiting);
            waiting.clear();
            now.forEach(Runnable::run);
        }
    }

    /** Fails the waiting requests and all later ones. */
    void close() {
        closed = true;
        connected();
    }
}
