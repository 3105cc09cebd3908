package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeOp.Kind;
import io.ostraka.core.tree.NodeStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sends the same random requests, in three sessions, to the tested stores and to a new tree in memory, and compares all
 * replies. The transaction numbers may differ, but both sides must number the transactions in the same order.
 */
final class RandomOperations {
    private static final List<Kind> KINDS = List.of(Kind.values());
    private static final int SESSIONS = 3;
    private static final int LONGEST_TRANSACTION = 4;
    private static final int LONGEST_BURST = 4;

    private record Pair(NodeStore subject, NodeStore model) {}

    private final SplittableRandom random;
    private final String base;
    private final Supplier<NodeStore> subjects;
    private final InMemoryCoordination tree = new InMemoryCoordination(() -> Instant.EPOCH);
    private final List<Pair> pairs = new ArrayList<>();
    /** Number of each transaction in the tested stores, by its number in the tree in memory. */
    private final NavigableMap<Long, Long> zxids = new TreeMap<>();

    private final Map<Long, Long> sessions = new HashMap<>(Map.of(0L, 0L));
    private final List<String> log = new ArrayList<>();

    /**
     * Creates a sequence of requests.
     *
     * @param seed seed of the sequence
     * @param base path of a node that does not exist yet; all requests are below it
     * @param subjects creates a tested store without starting it; all these stores must use the same server
     */
    RandomOperations(long seed, String base, Supplier<NodeStore> subjects) {
        this.random = new SplittableRandom(seed);
        this.base = base;
        this.subjects = subjects;
    }

    void run(int bursts) {
        try {
            for (int i = 0; i < SESSIONS; i++) {
                pairs.add(start());
            }
            NodeOp create = new NodeOp.Create(base, new byte[0], Kind.PERSISTENT);
            commit(pairs.get(0), List.of(create)).join();
            for (int i = 0; i < bursts; i++) {
                step();
            }
            compareEverything();
            assertTrue(log.size() > bursts, "too little was tried");
        } catch (AssertionError | CompletionException e) {
            List<String> last = log.subList(Math.max(0, log.size() - 8), log.size());
            throw new AssertionError(e.getMessage() + "\nafter " + String.join("\n", last), e);
        } finally {
            pairs.forEach(pair -> pair.subject.close());
        }
    }

    private Pair start() {
        var pair = new Pair(subjects.get(), tree.connect("model", Runnable::run));
        var subject = new RecordingListener();
        var model = new RecordingListener();
        pair.subject.start(subject);
        pair.model.start(model);
        subject.await("connected");
        model.await("connected");
        sessions.put(model.session(), subject.session());
        return pair;
    }

    private void step() {
        int session = random.nextInt(SESSIONS);
        if (random.nextInt(60) == 0) {
            log.add("session " + session + " is closed");
            Pair closed = pairs.get(session);
            closed.subject.close();
            closed.model.close();
            pairs.set(session, start());
            return;
        }
        var answers = new ArrayList<CompletableFuture<?>>();
        for (int burst = random.nextInt(LONGEST_BURST) + 1; burst > 0; burst--) {
            answers.add(request(pairs.get(session)));
        }
        answers.forEach(CompletableFuture::join);
        if (random.nextInt(4) == 0) {
            // after a sync, the other sessions must see the effects of completed requests
            Pair other = pairs.get(random.nextInt(SESSIONS));
            other.subject.sync().toCompletableFuture().join();
            read(other, anyPath()).join();
        }
    }

    private CompletableFuture<?> request(Pair pair) {
        return switch (random.nextInt(6)) {
            case 0 -> read(pair, anyPath());
            case 1 -> children(pair, anyPath());
            default -> {
                var operations = new ArrayList<NodeOp>();
                for (int size = random.nextInt(LONGEST_TRANSACTION) + 1; size > 0; size--) {
                    operations.add(operation());
                }
                yield commit(pair, operations);
            }
        };
    }

    private NodeOp operation() {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> create();
            case 4, 5, 6 -> {
                String path = anyPath();
                yield new NodeOp.Set(path, new byte[] {(byte) random.nextInt()}, version(path));
            }
            case 7 -> {
                String path = anyPath();
                yield new NodeOp.Check(path, version(path));
            }
            default -> {
                String path = anyPath();
                yield path.equals(base) ? new NodeOp.Check(path, 0) : new NodeOp.Delete(path, version(path));
            }
        };
    }

    private NodeOp create() {
        Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        byte[] data = {(byte) random.nextInt()};
        if (kind == Kind.PERSISTENT_SEQUENTIAL) {
            return new NodeOp.Create(anyPath() + (random.nextBoolean() ? "/n-" : "/"), data, kind);
        }
        return new NodeOp.Create(below(anyPath()), data, kind);
    }

    private String anyPath() {
        if (random.nextInt(4) == 0) {
            var existing = new ArrayList<>(tree.paths().tailSet(base));
            return existing.isEmpty() ? base : existing.get(random.nextInt(existing.size()));
        }
        String path = base;
        for (int depth = random.nextInt(3); depth > 0; depth--) {
            path = below(path);
        }
        return path;
    }

    private String below(String path) {
        return path + "/" + "ab".charAt(random.nextInt(2));
    }

    private int version(String path) {
        return switch (random.nextInt(5)) {
            case 0 -> NodeOp.ANY_VERSION;
            case 1 -> random.nextInt(3);
            default -> tree.read(path).map(Node::version).orElse(0);
        };
    }

    private CompletableFuture<?> commit(Pair pair, List<NodeOp> operations) {
        return compare(
                pair.subject.commit(operations), pair.model.commit(operations), operations.toString(), this::compare);
    }

    private CompletableFuture<?> read(Pair pair, String path) {
        return compare(
                pair.subject.read(path, false),
                pair.model.read(path, false),
                "read " + path,
                (subject, model) -> compare(path, subject, model));
    }

    private CompletableFuture<?> children(Pair pair, String path) {
        return compare(
                pair.subject.children(path),
                pair.model.children(path),
                "children " + path,
                (subject, model) -> assertEquals(new TreeSet<>(model), new TreeSet<>(subject), path));
    }

    private interface Comparison<T> {
        void compare(T subject, T model);
    }

    private <T> CompletableFuture<?> compare(
            CompletionStage<T> subject, CompletionStage<T> model, String request, Comparison<T> comparison) {
        T expected = model.toCompletableFuture().join();
        log.add(request + " -> " + expected);
        return subject.thenAccept(actual -> comparison.compare(actual, expected))
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS);
    }

    private void compare(Outcome subject, Outcome model) {
        if (subject instanceof Outcome.Committed committed && model instanceof Outcome.Committed expected) {
            assertEquals(expected.zxid() == 0, committed.zxid() == 0);
            match(committed.zxid(), expected.zxid());
        } else {
            assertEquals(model, subject);
        }
    }

    private void compare(String path, Optional<Node> subject, Optional<Node> model) {
        assertEquals(model.isPresent(), subject.isPresent(), path);
        if (subject.isEmpty() || model.isEmpty()) {
            return;
        }
        Node actual = subject.get();
        Node expected = model.get();
        assertEquals(path, actual.path());
        assertEquals(expected.version(), actual.version(), path);
        assertArrayEquals(expected.data(), actual.data(), path);
        assertEquals(sessions.get(expected.ephemeralOwner()), actual.ephemeralOwner(), path);
        match(actual.czxid(), expected.czxid());
        match(actual.mzxid(), expected.mzxid());
    }

    /** Checks that both sides number the same transactions in the same order. */
    private synchronized void match(long subject, long model) {
        Long before = zxids.putIfAbsent(model, subject);
        assertEquals(before == null ? subject : before, subject, "number of transaction " + model);
        Map.Entry<Long, Long> lower = zxids.lowerEntry(model);
        Map.Entry<Long, Long> higher = zxids.higherEntry(model);
        assertTrue(lower == null || lower.getValue() < subject, "transactions are numbered in order");
        assertTrue(higher == null || higher.getValue() > subject, "transactions are numbered in order");
    }

    private void compareEverything() {
        Pair pair = pairs.get(0);
        pair.subject.sync().toCompletableFuture().join();
        for (String path : tree.paths()) {
            if (path.startsWith(base)) {
                read(pair, path).join();
                children(pair, path).join();
            }
        }
    }
}
