package io.ostraka.core.facade;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Progress;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.coordination.Versioned;
import io.ostraka.core.decide.Explanation;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.time.Lane;
import io.ostraka.core.trigger.Schedules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What operators ask of jobs: it waits for a connection where there is none, and what is cancelled before is not asked
 * at all. Any thread may ask; all else is confined to the instance's lane.
 */
final class Petitions {
    private final Jobs jobs;
    private final Items items;
    private final Lane lane;
    private final BooleanSupplier established;
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean closed;

    /**
     * @param established whether ZooKeeper can be asked
     */
    Petitions(Jobs jobs, Items items, Lane lane, BooleanSupplier established) {
        this.jobs = jobs;
        this.items = items;
        this.lane = lane;
        this.established = established;
    }

    /** Changes what is wanted of a job. */
    CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        return ask(() -> jobs.amend(job, present -> {
            JobOverride next = change.apply(present);
            if (next.schedule() != null) {
                Schedules.validate(job, next.schedule());
            }
            return next;
        }));
    }

    /** Lets a quarantined item start again. */
    CompletionStage<Void> release(String job, String item) {
        return ask(() -> items.release(job, item));
    }

    /** Deletes a removed job. */
    CompletionStage<Void> purge(String job) {
        return ask(() -> jobs.purge(job));
    }

    /** Reads how far the runs of a job's items are. */
    CompletionStage<Map<String, Progress>> progress(String job) {
        return ask(() -> items.keys(job).thenCompose(keys -> items.progress(job, keys)));
    }

    /** Reads why an item is where it is. */
    CompletionStage<String> explain(String job, String item) {
        return ask(() -> jobs.job(job).thenApply(view -> {
            Versioned<ShardingPlan> plan = view.plan();
            if (plan == null) {
                throw new CoordinationException("job '" + job
                        + "' has no plan that can be read; nobody has planned it yet," + " or there is no such job");
            }
            if (!view.overrideKnown()) {
                throw new CoordinationException(String.valueOf(view.problem(view, "")));
            }
            return Explanation.of(job, item, plan.value(), view.overrideOrNone());
        }));
    }

    private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lane.execute(() -> {
            waiting.add(() -> ask(request, answer));
            connected();
        });
        return answer;
    }

    private <T> void ask(Supplier<CompletionStage<T>> request, CompletableFuture<T> answer) {
        if (closed) {
            answer.completeExceptionally(new CoordinationException("this registry is closed; make a new one"));
        } else if (!answer.isDone()) {
            CompletableFuture.completedStage(request)
                    .thenCompose(Supplier::get) // so that what it throws is an answer as well
                    .whenComplete((value, error) -> {
                        if (error == null) {
                            answer.complete(value);
                        } else {
                            answer.completeExceptionally(error);
                        }
                    });
        }
    }

    /** Asks for whatever waits, if that is possible. */
    void connected() {
        if (closed || established.getAsBoolean()) {
            List<Runnable> now = List.copyOf(waiting);
            waiting.clear();
            now.forEach(Runnable::run);
        }
    }

    /** Tells those who wait that nothing is asked any more. */
    void close() {
        closed = true;
        connected();
    }
}
