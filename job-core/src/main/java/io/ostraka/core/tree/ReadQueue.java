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
 * Reads nodes, with one request under way at a time: what is asked meanwhile gathers for the next. A node alone is read at
 * once; a thousand jobs that all begin, or all come back with the connection, cost some dozens of requests instead of
 * thousands, and never flood the server. Nodes are read in the order in which they were asked for, but for those that can
 * wait: each request has room for one of them, and for more where nothing else is asked for. Thread-safe.
 */
final class ReadQueue {
    /** How many nodes one request asks for: with a megabyte each, as large as nodes get, the answer still fits. */
    private static final int MOST_NODES = 32;

    private final NodeStore store;
    private final Clock clock;
    private final LongConsumer answered;
    private final Deque<Asked> waiting = new ArrayDeque<>();
    /** Guarded by {@link #waiting}. */
    private final Deque<Asked> patient = new ArrayDeque<>();

    private boolean underWay;

    /** A node that somebody waits for. */
    private record Asked(String path, boolean synced, CompletableFuture<Optional<Node>> answer) {}

    /**
     * @param answered told when a request was sent, by the monotonic clock, once it is answered
     */
    ReadQueue(NodeStore store, Clock clock, LongConsumer answered) {
        this.store = store;
        this.clock = clock;
        this.answered = answered;
    }

    /**
     * Reads some nodes, one after the other.
     *
     * @param synced whether they must show every write that has been answered, to anyone, by now
     * @throws IllegalArgumentException if one is no path
     */
    List<CompletionStage<Optional<Node>>> read(List<String> paths, boolean synced) {
        return read(paths, synced, waiting);
    }

    /** Reads some nodes for which nothing waits but housekeeping. */
    List<CompletionStage<Optional<Node>>> readPatiently(List<String> paths) {
        return read(paths, false, patient);
    }

    private List<CompletionStage<Optional<Node>>> read(List<String> paths, boolean synced, Deque<Asked> queue) {
        paths.forEach(NodeRequests::requirePath); // or one that is none would fail those that it goes with
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

    private void sendNext() {
        List<Asked> next = new ArrayList<>();
        synchronized (waiting) {
            if (underWay || (waiting.isEmpty() && patient.isEmpty())) {
                return;
            }
            underWay = true;
            take(waiting, patient.isEmpty() ? MOST_NODES : MOST_NODES - 1, next);
            take(patient, MOST_NODES, next);
        }
        try {
            send(next);
        } catch (Throwable e) { // or nothing would ever be read again
            synchronized (waiting) {
                underWay = false;
            }
            next.forEach(asked -> asked.answer.completeExceptionally(e));
        }
    }

    private static void take(Deque<Asked> queue, int most, List<Asked> group) {
        while (group.size() < most && !queue.isEmpty()) {
            group.add(queue.remove());
        }
    }

    private void send(List<Asked> group) {
        long sent = clock.monotonicNanos();
        CompletionStage<@Nullable Void> synced = group.stream().anyMatch(Asked::synced)
                ? store.sync().thenApply(done -> null)
                : CompletableFuture.completedStage(null);
        List<CompletionStage<Optional<Node>>> answers =
                store.read(group.stream().map(Asked::path).toList());
        List<CompletableFuture<Optional<Node>>> all = new ArrayList<>();
        for (int i = 0; i < group.size(); i++) {
            CompletionStage<Optional<Node>> answer = answers.get(i);
            all.add((group.get(i).synced ? answer.thenCombine(synced, (node, done) -> node) : answer)
                    .toCompletableFuture());
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).whenComplete((done, anyFailure) -> {
            synchronized (waiting) {
                underWay = false;
            }
            sendNext(); // before anyone goes on from these: what they ask for waits for what was asked before
            for (int i = 0; i < all.size(); i++) {
                CompletableFuture<Optional<Node>> answer = group.get(i).answer;
                all.get(i).whenComplete((node, failure) -> {
                    if (failure == null) {
                        answered.accept(sent);
                        answer.complete(node);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                });
            }
        });
    }
}
