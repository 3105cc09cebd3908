package io.ostraka.core.tree;

import io.ostraka.core.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads nodes with one request at a time. Reads that arrive during a request share the next request. If a thousand jobs
 * start or reconnect at the same time, they cost dozens of requests instead of thousands. Thread-safe.
 *
 * <p>Nodes are read in the order of the calls, except for patient reads, which are for periodic cleanup. If other reads
 * fill a request, only one patient read is added to it.
 */
final class ReadQueue {
    /**
     * Largest number of nodes in one request. Even if all nodes have the largest size, a megabyte, they fit into one
     * response.
     */
    private static final int MOST_NODES = 32;

    private final NodeStore store;
    private final Clock clock;
    private final LongConsumer answered;
    private final Deque<Asked> waiting = new ArrayDeque<>();
    /** Patient reads. Guarded by {@link #waiting}. */
    private final Deque<Asked> patient = new ArrayDeque<>();

    private boolean underWay;

    private record Asked(String path, boolean synced, CompletableFuture<Optional<Node>> answer) {}

    /** @param answered called for each answered request, with the monotonic time at which the request was sent */
    ReadQueue(NodeStore store, Clock clock, LongConsumer answered) {
        this.store = store;
        this.clock = clock;
        this.answered = answered;
    }

    /**
     * Reads nodes one after the other.
     *
     * @param synced true if the reads must see every write that was confirmed to any client before this call
     * @throws IllegalArgumentException if a path is invalid
     */
    List<CompletionStage<Optional<Node>>> read(List<String> paths, boolean synced) {
        return read(paths, synced, waiting);
    }

    /** Reads nodes for periodic cleanup. Other waiting reads have priority. */
    List<CompletionStage<Optional<Node>>> readPatiently(List<String> paths) {
        return read(paths, false, patient);
    }

    private List<CompletionStage<Optional<Node>>> read(List<String> paths, boolean synced, Deque<Asked> queue) {
        paths.forEach(NodeRequests::requirePath); // an invalid path would fail all reads of its request
        List<CompletionStage<Optional<Node>>> answers = new ArrayList<>();
        synchronized (waiting) {
            for (String path : paths) {
                CompletableFuture<Optional<Node>> answer = new CompletableFuture<>();
                queue.add(new Asked(path, synced, answer));
                answers.add(answer);
            }
        }
        sendNext();
        return answers;
    }

    /** Sends the waiting reads. Requests that are answered at once, for example by a closed store, follow in a loop. */
    private void sendNext() {
        List<Request> answeredAtOnce = new ArrayList<>();
        for (List<Asked> next = next(); !next.isEmpty(); next = next()) {
            Request request = new Request(next, clock.monotonicNanos());
            try {
                request.send();
            } catch (Throwable e) { // without this catch, no later read would be sent
                next.forEach(asked -> asked.answer.completeExceptionally(e));
            }
            if (!request.all.isDone()) {
                request.all.whenComplete((done, failure) -> {
                    ended();
                    sendNext(); // before the callers continue, so that their next reads queue behind earlier ones
                    request.pass();
                });
                break;
            }
            ended();
            answeredAtOnce.add(request);
        }
        answeredAtOnce.forEach(Request::pass);
    }

    /** Returns the reads of the next request; empty if no read waits or another request is under way. */
    private List<Asked> next() {
        List<Asked> next = new ArrayList<>();
        synchronized (waiting) {
            if (!underWay) {
                take(waiting, patient.isEmpty() ? MOST_NODES : MOST_NODES - 1, next);
                take(patient, MOST_NODES, next);
                underWay = !next.isEmpty();
            }
        }
        return next;
    }

    private void ended() {
        synchronized (waiting) {
            underWay = false;
        }
    }

    private static void take(Deque<Asked> queue, int most, List<Asked> group) {
        while (group.size() < most && !queue.isEmpty()) {
            group.add(queue.remove());
        }
    }

    private final class Request {
        private final List<Asked> group;
        private final long sent;
        private final List<CompletableFuture<Optional<Node>>> answers = new ArrayList<>();
        /** Completes when all answers have arrived. */
        private CompletableFuture<Void> all = CompletableFuture.completedFuture(null);

        Request(List<Asked> group, long sent) {
            this.group = group;
            this.sent = sent;
        }

        void send() {
            CompletionStage<@Nullable Void> synced = group.stream().anyMatch(Asked::synced)
                    ? store.sync().thenApply(done -> null)
                    : CompletableFuture.completedStage(null);
            List<CompletionStage<Optional<Node>>> read =
                    store.read(group.stream().map(Asked::path).toList());
            for (int i = 0; i < group.size(); i++) {
                CompletionStage<Optional<Node>> answer = read.get(i);
                answers.add((group.get(i).synced ? answer.thenCombine(synced, (node, done) -> node) : answer)
                        .toCompletableFuture());
            }
            all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
        }

        /** Passes the answers to the callers. */
        void pass() {
            for (int i = 0; i < answers.size(); i++) {
                CompletableFuture<Optional<Node>> answer = group.get(i).answer;
                answers.get(i).whenComplete((node, failure) -> {
                    if (failure == null) {
                        answered.accept(sent);
                        answer.complete(node);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                });
            }
        }
    }
}
