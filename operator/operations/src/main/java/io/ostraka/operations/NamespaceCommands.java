package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.OrdersResult;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.UnreadableNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Executes the commands for the whole namespace and for its instances. */
final class NamespaceCommands {
    /** Number of effects that a preview lists; for the remaining jobs it only gives their number. */
    private static final int MOST_PREVIEWED = 20;

    private static final String AS_REQUESTED = "the namespace already is as requested";

    private final Coordination coordination;
    private final Executor planner;

    NamespaceCommands(Coordination coordination, Executor planner) {
        this.coordination = coordination;
        this.planner = planner;
    }

    CompletionStage<CommandResult> freeze(Command.Freeze command, CommandOptions options) {
        Orders.Freeze freeze = new Orders.Freeze(order(options, command.until()));
        return previewed(
                freeze,
                options,
                "froze the namespace" + until(command.until()),
                () -> FreezePreview.frozen(coordination, command.until(), planner));
    }

    CompletionStage<CommandResult> thaw(CommandOptions options) {
        return previewed(
                new Orders.Thaw(), options, "thawed the namespace", () -> FreezePreview.thawed(coordination, planner));
    }

    /** @param effects reads and predicts further effects for a dry run */
    private CompletionStage<CommandResult> previewed(
            Orders.Change change,
            CommandOptions options,
            String done,
            Supplier<CompletionStage<List<String>>> effects) {
        return options.dryRun()
                ? effects.get().thenCompose(all -> amend(change, options, done, all))
                : amend(change, options, done, List.of());
    }

    CompletionStage<CommandResult> drain(Command.DrainInstance command, CommandOptions options) {
        String named = command.instance();
        Orders.Drain drain = new Orders.Drain(named, order(options, command.until()));
        return coordination.membership().instances().thenCompose(live -> {
            List<InstanceInfo> matching = InstanceInfo.called(named, live);
            String done = "'" + named + "' is drained" + until(command.until())
                    + (matching.isEmpty()
                            ? "; no live instance matches, only later ones can; live: " + names(live, live)
                            : names(matching, live).equals(List.of(named))
                                    ? ""
                                    : ": " + String.join(", ", names(matching, live)));
            return options.dryRun()
                    ? drained(named, live).thenCompose(moves -> {
                        List<String> effects = new ArrayList<>(moves);
                        effects.add("runs that have begun go on; a run that does not end keeps its item here");
                        effects.add(
                                isId(named, matching)
                                        ? "the drain goes by an id, so the process is not drained after a restart"
                                        : "the drain goes by a name, so a restarted process is still drained");
                        return amend(drain, options, done, effects);
                    })
                    : amend(drain, options, done, List.of());
        });
    }

    CompletionStage<CommandResult> undrain(Command.UndrainInstance command, CommandOptions options) {
        String named = command.instance();
        return coordination.membership().orders().thenCompose(view -> {
            Set<String> drained =
                    view.damage() == null ? view.orders().drained().keySet() : Set.of(named);
            if (!drained.contains(named) && !repeated(view.orders(), options)) {
                throw new IllegalArgumentException(
                        "instance '" + named + "' is not drained from outside; drained: " + drained);
            }
            return amend(new Orders.Undrain(named), options, "the drain of '" + named + "' ends", List.of());
        });
    }

    private static boolean repeated(Orders orders, CommandOptions options) {
        return orders.requests().contains(options.requestId());
    }

    CompletionStage<CommandResult> evict(Command.EvictInstance command, CommandOptions options) {
        String named = command.instance();
        return coordination.membership().instances().thenCompose(live -> {
            // earlier ids do not count: a command for a session that has ended must not end the next session of its
            // process
            List<InstanceInfo> found = InstanceInfo.called(named, live).stream()
                    .filter(each -> !each.earlierIds().contains(named))
                    .toList();
            if (found.size() > 1) {
                throw CoordinationException.refused("instance '" + named + "' may be any of " + ids(found)
                        + "; repeat the command with one of these ids");
            }
            if (found.isEmpty()) {
                return coordination.membership().unreadableInstances().thenApply(unreadable -> {
                    UnreadableNode damage = unreadable.get(named);
                    if (damage != null) {
                        throw CoordinationException.refused(
                                damage.text("the instance writes its node again, so repeat the command"));
                    }
                    throw CoordinationException.notFound(
                            "instance '" + named + "' is not registered; registered ids: " + ids(live));
                });
            }
            String instance = found.get(0).id();
            if (options.dryRun()) {
                List<String> effects = new ArrayList<>(List.of(
                        "instance " + instance + " ends its session, and its items move to other instances",
                        "interrupted runs start again on another instance if their job has failover"));
                return drained(instance, live).thenApply(moves -> {
                    effects.addAll(moves);
                    return new CommandResult.Preview(0, effects);
                });
            }
            return coordination
                    .membership()
                    .evict(instance, order(options, null))
                    .thenApply(outcome -> evicted(instance, options, outcome));
        });
    }

    private static CommandResult evicted(String instance, CommandOptions options, Outcome outcome) {
        if (outcome instanceof Outcome.Committed) {
            return new CommandResult.Applied(0, "", "evicts instance " + instance);
        }
        if (outcome instanceof Outcome.Unknown) {
            return new CommandResult.Unknown(
                    Requirements.requestId(options),
                    "ZooKeeper did not answer; repeat the command with the id " + instance + " to see the result");
        }
        Outcome.Reason reason = ((Outcome.Rejected) outcome).reason();
        if (reason == Outcome.Reason.NODE_EXISTS) {
            return new CommandResult.Unchanged(0, "", "the eviction of " + instance + " was requested before");
        }
        throw reason == Outcome.Reason.NO_NODE
                ? CoordinationException.notFound(
                        "instance '" + instance + "' is not registered any more; nothing was changed")
                : new CoordinationException(
                        "ZooKeeper refused the eviction of '" + instance + "'; check access rights and quotas");
    }

    CompletionStage<CommandResult> apply(Command.Apply command, CommandOptions options) {
        if (options.dryRun()) {
            return coordination
                    .settings()
                    .preview(command.document())
                    .thenApply(effects -> new CommandResult.Preview(
                            0, effects.isEmpty() ? List.of("the namespace has these settings already") : effects));
        }
        return coordination
                .settings()
                .apply(command.document())
                .thenApply(done -> done.isEmpty()
                        ? new CommandResult.Unchanged(0, "", "the namespace has these settings already")
                        : new CommandResult.Applied(0, "", String.join("; ", done)));
    }

    private Orders.Order order(CommandOptions options, @Nullable Instant until) {
        return new Orders.Order(
                options.actor(), options.reason(), coordination.membership().serverTime(), until);
    }

    private static String until(@Nullable Instant until) {
        return until == null ? "" : " until " + until;
    }

    private static List<String> ids(List<InstanceInfo> instances) {
        return instances.stream().map(InstanceInfo::id).sorted().toList();
    }

    /** Returns the names of instances; the ids of those whose name another live instance has, too. */
    private static List<String> names(List<InstanceInfo> instances, List<InstanceInfo> live) {
        List<String> ids = ids(live);
        return ids(instances).stream()
                .map(id -> PlacementPreview.named(id, ids))
                .toList();
    }

    private static boolean isId(String named, List<InstanceInfo> matching) {
        return matching.stream()
                .anyMatch(each -> each.id().equals(named) || each.earlierIds().contains(named));
    }

    /** @param effects further effects for a dry run */
    private CompletionStage<CommandResult> amend(
            Orders.Change change, CommandOptions options, String done, List<String> effects) {
        if (options.dryRun()) {
            List<String> all = new ArrayList<>(List.of(done));
            all.addAll(effects);
            return coordination.membership().orders().thenApply(view -> {
                view.requireReadable();
                boolean changes = !change.apply(view.orders()).equals(view.orders()); // refuses an invalid change
                return new CommandResult.Preview(view.mzxid(), changes ? all : List.of(AS_REQUESTED));
            });
        }
        return coordination
                .membership()
                .amend(change, Requirements.requestId(options), options.expectedVersion())
                .thenApply(result -> result(result, options, done));
    }

    private static CommandResult result(OrdersResult result, CommandOptions options, String done) {
        if (result instanceof OrdersResult.Changed changed) {
            return new CommandResult.Applied(changed.mzxid(), "", done);
        } else if (result instanceof OrdersResult.Unchanged unchanged) {
            return new CommandResult.Unchanged(
                    unchanged.mzxid(),
                    "",
                    repeated(unchanged.present(), options)
                            ? "a command with this request id was applied before"
                            : AS_REQUESTED);
        } else if (result instanceof OrdersResult.Conflict conflict) {
            return new CommandResult.Conflict(
                    conflict.mzxid(), "the orders for the namespace have changed; read the namespace again");
        }
        return new CommandResult.Unknown(
                Requirements.requestId(options), "ZooKeeper did not answer; the command may have been applied");
    }

    /** Returns the item moves that a drain of the named instances would probably cause. */
    private CompletionStage<List<String>> drained(String named, List<InstanceInfo> live) {
        Set<String> jobs = new TreeSet<>();
        List<InstanceInfo> matching = InstanceInfo.called(named, live);
        matching.forEach(each -> jobs.addAll(each.jobs()));
        List<InstanceInfo> then = live.stream()
                .map(each -> matching.contains(each) ? each.draining() : each)
                .toList();
        return effects(List.copyOf(jobs), then, new ArrayList<>())
                .thenApply(moves -> moves.isEmpty() ? List.of("no item moves") : moves);
    }

    private CompletionStage<List<String>> effects(List<String> jobs, List<InstanceInfo> then, List<String> effects) {
        if (jobs.isEmpty() || effects.size() >= MOST_PREVIEWED) {
            if (!jobs.isEmpty()) {
                effects.add("and the items of " + jobs.size() + " more jobs");
            }
            return CompletableFuture.completedStage(effects);
        }
        return coordination
                .jobs()
                .job(jobs.get(0))
                .thenCompose(job -> effects(job, then))
                .thenCompose(ofJob -> {
                    effects.addAll(ofJob);
                    return effects(jobs.subList(1, jobs.size()), then, effects);
                });
    }

    private CompletionStage<List<String>> effects(JobView job, List<InstanceInfo> then) {
        return job.overrideKnown()
                ? PlacementPreview.effects(coordination, job, job.overrideOrNone(), then, planner)
                : CompletableFuture.completedStage(List.of(String.valueOf(job.problem())));
    }
}
