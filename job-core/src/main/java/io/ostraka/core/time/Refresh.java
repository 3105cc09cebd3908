package io.ostraka.core.time;

import io.ostraka.api.CoordinationException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a request on demand, for example the read of nodes that have changed. Only one request is under way at a
 * time. All demands during a request share the next one, because the reply under way may not contain the change that
 * caused them. After a request, its owner may order a rest; all demands during the rest share a request at its end.
 *
 * <p>After a failure, the request is repeated at the end of the rest, or else after a pause. A demand ends this pause. A
 * failure is an exception of the request, of its stage, or of the consumer of its reply. A lost connection is a normal
 * failure. Any other failure is a defect, which is logged once until a request succeeds. No failure propagates to the
 * caller or to the executor.
 *
 * <p>Confined to the given executor, which also calls the request and the consumer.
 */
public final class Refresh<T> {
    private static final Logger log = LoggerFactory.getLogger(Refresh.class);

    private final String what;
    private final TimedExecutor executor;
    private final @Nullable Duration pause;
    private final BooleanSupplier possible;
    private final Supplier<CompletionStage<T>> request;
    private final Consumer<? super T> take;

    private boolean underWay;
    private boolean resting;
    /** True if a demand waits for the end of the request or of the rest. */
    private boolean again;

    private boolean closed;
    /** True if a defect was logged after the latest success. */
    private boolean defect;
    /** Number of the latest delay. The end of an earlier delay has no effect. */
    private int delays;

    private Runnable cancelDelay = () -> {};

    /**
     * Creates a refresh that does nothing before the first demand.
     *
     * @param what name of the request for log lines, for example "the read of the stops"
     * @param pause time between a failure and the next request; null to wait for the next demand
     * @param possible returns false while a request would make no sense, for example because there is no connection.
     *     Such a demand is dropped
     * @param take called with each reply
     */
    public Refresh(
            String what,
            TimedExecutor executor,
            @Nullable Duration pause,
            BooleanSupplier possible,
            Supplier<CompletionStage<T>> request,
            Consumer<? super T> take) {
        this.what = what;
        this.executor = executor;
        this.pause = pause;
        this.possible = possible;
        this.request = request;
        this.take = take;
    }

    /** Sends the request at once; if one is under way, after its reply; during a rest, at the end of the rest. */
    public void demand() {
        again = underWay || resting;
        if (again || closed || !possible.getAsBoolean()) {
            return;
        }
        endDelay();
        underWay = true;
        Stages.of(request).whenComplete((reply, error) -> executor.execute(() -> replied(reply, error)));
    }

    /** Demands a request after a delay, unless there is another demand before. Replaces an earlier delay or rest. */
    public void demandAfter(Duration delay) {
        delay(delay, this::demand);
    }

    /** Begins a rest. Replaces an earlier delay or rest. */
    public void rest(Duration time) {
        delay(time, () -> {
            if (again) {
                demand();
            }
        });
        resting = true;
    }

    /** Ends the rest. A demand that waits for its end waits for the next demand. */
    public void endRest() {
        if (resting) {
            endDelay();
        }
    }

    private void delay(Duration time, Runnable then) {
        endDelay();
        int number = delays;
        cancelDelay = executor.after(time, () -> {
            if (number == delays) {
                resting = false;
                then.run();
            }
        });
    }

    private void endDelay() {
        delays++;
        cancelDelay.run();
        resting = false;
    }

    /** Returns whether a demand waits for the end of the request or of the rest. */
    public boolean demanded() {
        return again;
    }

    /** Returns whether there is neither a request under way nor a rest. */
    public boolean idle() {
        return !underWay && !resting;
    }

    /** Drops all demands, and the reply to a request that is under way. */
    public void close() {
        closed = true;
        endDelay();
    }

    private void replied(T reply, @Nullable Throwable error) {
        if (closed) {
            return;
        }
        Throwable failure = error == null ? take(reply) : Stages.cause(error);
        defect &= failure != null;
        if (failure != null) {
            report(failure);
        }
        underWay = false; // only now, so a demand of the consumer waits until the consumer returns
        again |= failure != null && resting;
        if (again) {
            demand();
        } else if (failure != null && pause != null) {
            demandAfter(pause);
        }
    }

    /** Passes the reply on. Returns the exception of the consumer; null if there is none. */
    private @Nullable Throwable take(T reply) {
        try {
            take.accept(reply);
            return null;
        } catch (Throwable e) { // even an Error of the JVM: without a repetition, later changes would be missed
            return e;
        }
    }

    private void report(Throwable failure) {
        if (failure instanceof CoordinationException || failure instanceof RejectedExecutionException) {
            log.debug("{} has failed: {}", what, failure.toString()); // no connection, or the process is closing
        } else if (!defect) {
            defect = true;
            log.error("{} has failed because of a defect; it is repeated, please report it", what, failure);
        }
    }
}
