package io.ostraka.console.live;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a namespace whose views are shared. Callers that ask for the same view at the same time share one read,
 * and later callers get the same answer for at most one second after the read began. If the read took longer than a tenth
 * of a second, they get it for ten times as long as it took, so that repeated reads take at most a tenth of the time.
 * Therefore the cost of the views does not depend on the number of callers. Lists that the underlying {@link Operations} share for half a second can be
 * that much older.
 *
 * <p>A failed read fails all callers that wait for it, and is never used again. After a command of this object,
 * {@link #execute} drops all answers before it returns, so a caller sees its own change. Commands that bypass this
 * object become visible within a second. Thread-safe.
 */
public final class SharedViews implements Operations {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
    /** Largest number of answers that are kept. */
    static final int MOST_ANSWERS = 256;
    /** Largest size of the arguments of all answers that are kept, in characters. */
    static final int MOST_ARGUMENTS = 256 * 1024;
    /** Largest size of the arguments of one view that is shared, in characters. */
    static final int LONGEST_ARGUMENTS = 16 * 1024;

    /** Longest time for which a caller waits for the read of another caller. A read usually ends or fails much earlier. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    /** Largest number of shared reads that a caller tries. If a command overtakes all of them, it reads alone. */
    private static final int MOST_ATTEMPTS = 2;

    /**
     * A view with its arguments.
     *
     * @param name name of the method of {@link Operations}
     * @param arguments arguments of the method. Equal lists of arguments mean the same view
     */
    record View(String name, List<Object> arguments) {
        int size() {
            return arguments.stream().mapToInt(each -> each.toString().length()).sum();
        }
    }

    /** Receives the result of each read before any caller does. Called on the thread that reads. */
    interface Observer {
        void answered(View view, Object answer);

        void failed(View view, RuntimeException failure);

        /** Tells the observer that a command may have changed some of the views. Called after all shared answers were
         * dropped. */
        void changed();
    }

    /** A read that is under way or done. */
    private static final class Read {
        final CompletableFuture<Object> answer = new CompletableFuture<>();
        final int size;
        final long beganNanos;
        /** Duration of the read; 0 until it has ended. */
        volatile long tookNanos;
        /** True if the read began before a command, so that its answer may be older than the command. */
        volatile boolean overtaken;

        Read(int size, long beganNanos) {
            this.size = size;
            this.beganNanos = beganNanos;
        }

        boolean isFresh(long now) {
            return !answer.isDone() || now - beganNanos < Math.max(FRESH_NANOS, 10 * tookNanos);
        }
    }

    private final Operations operations;
    private final Clock clock;
    private final Duration longestWait;
    private volatile @Nullable Observer observer;

    /** The reads whose answers may be used, least recently used first. Guarded by this. */
    private final Map<View, Read> reads = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * Shares the views of a namespace.
     *
     * @param operations the operations, without sharing
     * @param clock measures the age of the answers
     */
    public SharedViews(Operations operations, Clock clock) {
        this(operations, clock, LONGEST_WAIT);
    }

    SharedViews(Operations operations, Clock clock, Duration longestWait) {
        this.operations = operations;
        this.clock = clock;
        this.longestWait = longestWait;
    }

    /** Sets the observer of all later reads. */
    void observe(Observer newObserver) {
        observer = newObserver;
    }

    /** Drops all answers after a command. Callers that wait for a read which began before the command repeat it. */
    private synchronized void forget() {
        reads.values().forEach(read -> read.overtaken = true);
        reads.clear();
    }

    /** Drops the answers and reads of some views. Later callers do not join a read of these views that is under way. */
    synchronized void forget(Predicate<View> which) {
        reads.keySet().removeIf(which);
    }

    /** Drops the answers of some views, but keeps their reads that are under way, so that later callers join them. */
    synchronized void forgetAnswers(Predicate<View> which) {
        reads.entrySet().removeIf(each -> each.getValue().answer.isDone() && which.test(each.getKey()));
    }

    /** Returns the number of answers and reads that are kept. */
    synchronized int kept() {
        return reads.size();
    }

    private <T> T view(String name, List<Object> arguments, Supplier<T> reader) {
        View view = new View(name, arguments);
        int size = view.size();
        for (int attempt = 0; size <= LONGEST_ARGUMENTS && attempt < MOST_ATTEMPTS; attempt++) {
            Read own = new Read(size, clock.monotonicNanos());
            Read shared = join(view, own);
            T answer = shared == own ? read(view, reader, own) : await(view, shared);
            if (!shared.overtaken) {
                return answer;
            }
        }
        T answer = read(view, reader, new Read(size, 0)); // not shared, so no command makes the caller repeat it
        forget(view::equals); // the observer now has this answer, so no caller may get an older one
        return answer;
    }

    private <T> T read(View view, Supplier<T> reader, Read own) {
        Observer told = observer;
        try {
            T answer = reader.get();
            if (told != null && !own.overtaken) {
                told.answered(view, answer);
            }
            own.tookNanos = clock.monotonicNanos() - own.beganNanos;
            own.answer.complete(answer);
            return answer;
        } catch (RuntimeException | Error e) {
            drop(view, own); // before the failure is reported, so that no later caller gets it
            if (told != null && e instanceof RuntimeException failure) {
                told.failed(view, failure);
            }
            own.answer.completeExceptionally(e);
            throw e;
        }
    }

    /** Returns a usable read of the same view, or adds the given one and returns it. */
    private synchronized Read join(View view, Read own) {
        Read read = reads.get(view);
        if (read != null && read.isFresh(own.beganNanos)) {
            return read;
        }
        reads.values().removeIf(each -> !each.isFresh(own.beganNanos));
        reads.put(view, own);
        int size = reads.values().stream().mapToInt(each -> each.size).sum();
        Iterator<Read> eldest = reads.values().iterator();
        for (int left = reads.size(); left > MOST_ANSWERS || size > MOST_ARGUMENTS; left--) {
            size -= eldest.next().size;
            eldest.remove();
        }
        return own;
    }

    private synchronized void drop(View view, Read failed) {
        reads.computeIfPresent(view, (same, read) -> read == failed ? null : read);
    }

    @SuppressWarnings("unchecked") // a view with this name and these arguments has answers of this type
    private <T> T await(View view, Read read) {
        try {
            return (T) read.answer.get(longestWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not read the view '" + view.name + "': interrupted", e);
        } catch (TimeoutException e) {
            throw new CoordinationException("the view '" + view.name + "' was not read within " + longestWait, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error failure) {
                throw failure;
            }
            throw (RuntimeException) Objects.requireNonNull(e.getCause());
        }
    }

    @Override
    public NamespaceDetails namespace() {
        return view("namespace", List.of(), operations::namespace);
    }

    @Override
    public List<JobSummary> jobs() {
        return view("jobs", List.of(), operations::jobs);
    }

    @Override
    public List<JobActivity> activity(Collection<String> jobs) {
        List<String> names = List.copyOf(jobs);
        return view("activity", List.copyOf(names), () -> operations.activity(names));
    }

    @Override
    public JobDetails job(String job) {
        return view("job", List.of(job), () -> operations.job(job));
    }

    @Override
    public List<ItemDetails> items(String job, Collection<String> items) {
        List<String> keys = List.copyOf(items);
        return view("items", List.of(job, keys), () -> operations.items(job, keys));
    }

    @Override
    public String explain(String job, String item) {
        return view("explain", List.of(job, item), () -> operations.explain(job, item));
    }

    @Override
    public Optional<RunDetails> run(String job, String runId) {
        return view("run", List.of(job, runId), () -> operations.run(job, runId));
    }

    @Override
    public List<BackfillDetails> backfills() {
        return view("backfills", List.of(), operations::backfills);
    }

    @Override
    public List<AlarmDetails> alarms() {
        return view("alarms", List.of(), operations::alarms);
    }

    @Override
    public List<Problem> problems() {
        return view("problems", List.of(), operations::problems);
    }

    /** Callers share the answer if they may see the same jobs. */
    @Override
    public List<Problem> problems(Predicate<String> jobs) {
        List<String> all = jobs().stream().map(JobSummary::job).toList();
        List<String> names = all.stream().filter(jobs).toList();
        return names.size() == all.size()
                ? problems()
                : view("problems", List.of(names), () -> operations.problems(Set.copyOf(names)::contains));
    }

    @Override
    public List<Problem> problems(String job) {
        return view("problems", List.of(job), () -> operations.problems(job));
    }

    @Override
    public List<InstanceDetails> instances() {
        return view("instances", List.of(), operations::instances);
    }

    @Override
    public List<Instant> nextFires(String job, int count) {
        return view("nextFires", List.of(job, count), () -> operations.nextFires(job, count));
    }

    @Override
    public Forecast forecast(Instant from, Duration slot, int slots) {
        return view("forecast", List.of(from, slot, slots), () -> operations.forecast(from, slot, slots));
    }

    @Override
    public String export() {
        return view("export", List.of(), operations::export);
    }

    @Override
    public List<String> diff(String document) {
        return view("diff", List.of(document), () -> operations.diff(document));
    }

    @Override
    public CommandResult execute(Command command, CommandOptions options) {
        try {
            return operations.execute(command, options);
        } finally {
            executed();
        }
    }

    @Override
    public CommandResult rerun(Command.RerunItems command, PastRun run, CommandOptions options) {
        try {
            return operations.rerun(command, run, options);
        } finally {
            executed();
        }
    }

    private void executed() {
        forget(); // even a command that failed may have been applied
        Observer told = observer;
        if (told != null) {
            told.changed();
        }
    }
}
