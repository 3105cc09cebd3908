package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.time.SystemClock;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReadQueueTest {
    /** Requests that reached the store: paths of a read, or "sync". */
    private final List<Object> requests = new ArrayList<>();

    private final List<CompletableFuture<Optional<Node>>> answers = new ArrayList<>();
    private final List<Long> answered = new ArrayList<>();
    private boolean closed;
    /** Numbers of calls on the stack while the store receives the requests of a closed connection. */
    private final Set<Long> depths = new HashSet<>();

    private CompletionStage<Void> sync = CompletableFuture.completedStage(null);
    private final ReadQueue reads = new ReadQueue(store(), new SystemClock(), answered::add);

    /** Returns a store whose reads wait until the test answers them. */
    private NodeStore store() {
        return (NodeStore) Proxy.newProxyInstance(
                NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("sync")) {
                        requests.add("sync");
                        return sync;
                    }
                    List<?> paths = (List<?>) arguments[0];
                    requests.add(paths);
                    answers.clear();
                    if (closed) {
                        depths.add(StackWalker.getInstance().walk(Stream::count));
                    }
                    paths.forEach(path -> answers.add(
                            closed
                                    ? CompletableFuture.failedFuture(new CoordinationException("closed"))
                                    : new CompletableFuture<>()));
                    return List.<CompletionStage<Optional<Node>>>copyOf(answers);
                });
    }

    private void answerAll() {
        List.copyOf(answers).forEach(answer -> answer.complete(Optional.empty()));
    }

    private static List<String> paths(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "/n" + i).toList();
    }

    @Test
    void sendsSingleReadAtOnce() {
        CompletionStage<Optional<Node>> read = reads.read(List.of("/a"), false).get(0);

        assertThat(requests).containsExactly(List.of("/a"));
        Node node = new Node("/a", new byte[0], new Node.Stat(0, 1, 1, Instant.EPOCH, Instant.EPOCH, 0));
        answers.get(0).complete(Optional.of(node));
        assertThat(read.toCompletableFuture()).isCompletedWithValue(Optional.of(node));
        assertThat(answered).hasSize(1);
    }

    @Test
    void readsDuringRequestShareNextRequestInOrder() {
        reads.read(List.of("/first"), false);
        paths(0, 40).forEach(path -> reads.read(List.of(path), false));
        assertThat(requests).hasSize(1);

        answerAll();
        assertThat(requests).containsExactly(List.of("/first"), paths(0, 32));
        answerAll();
        assertThat(requests).last().isEqualTo(paths(32, 40));
        answerAll();
        assertThat(requests).hasSize(3);
    }

    /** For example after the connection was closed. */
    @Test
    void storeThatFailsAtOnceFailsAllWaitingReads() {
        CompletionStage<Optional<Node>> first =
                reads.read(List.of("/first"), false).get(0);
        List<CompletionStage<Optional<Node>>> many = reads.read(paths(0, 1_000), false);
        closed = true;
        answers.get(0).completeExceptionally(new CoordinationException("closed"));

        assertThat(first.toCompletableFuture()).isCompletedExceptionally();
        assertThat(many).allMatch(each -> each.toCompletableFuture().isCompletedExceptionally());
        assertThat(depths).as("one request is not sent within another").hasSize(1);
    }

    @Test
    void readsOfCallbacksQueueBehindEarlierReads() {
        reads.read(List.of("/first"), false).get(0).thenAccept(node -> reads.read(List.of("/last"), false));
        reads.read(List.of("/second"), false);

        answerAll();
        assertThat(requests).containsExactly(List.of("/first"), List.of("/second"));
        answerAll();
        assertThat(requests).last().isEqualTo(List.of("/last"));
    }

    @Test
    void sharedRequestSyncsOnce() {
        reads.read(List.of("/a", "/b"), true);
        reads.read(List.of("/c"), true);
        reads.read(List.of("/d"), false);
        answerAll();

        assertThat(requests).containsExactly("sync", List.of("/a", "/b"), "sync", List.of("/c", "/d"));
    }

    @Test
    void failedSyncFailsOnlySyncedReads() {
        sync = CompletableFuture.failedStage(new CoordinationException("no answer"));
        reads.read(List.of("/first"), false);
        CompletableFuture<Optional<Node>> synced =
                reads.read(List.of("/a"), true).get(0).toCompletableFuture();
        CompletableFuture<Optional<Node>> other =
                reads.read(List.of("/b"), false).get(0).toCompletableFuture();
        answerAll();
        answerAll();

        assertThat(synced).isCompletedExceptionally();
        assertThat(other).isCompletedWithValue(Optional.empty());
    }

    @Test
    void patientReadsYieldToOthersAndStillProgress() {
        reads.readPatiently(paths(0, 10_000));
        reads.read(List.of("/failover"), false);
        answerAll();
        assertThat(requests).last().asInstanceOf(LIST).hasSize(32).first().isEqualTo("/failover");

        reads.read(paths(20_000, 20_100), false);
        answerAll();
        assertThat(requests).last().asInstanceOf(LIST).hasSize(32).last().isEqualTo("/n63");
    }

    @Test
    void invalidPathFailsNoOtherRead() {
        assertThatThrownBy(() -> reads.read(List.of("/a", "/instances/an owner/with//slashes"), false))
                .isInstanceOf(IllegalArgumentException.class);
        reads.read(List.of("/b"), false);

        assertThat(requests).containsExactly(List.of("/b"));
    }

    @Test
    void failedReadAffectsNoOtherRead() {
        List<CompletionStage<Optional<Node>>> read = reads.read(List.of("/a", "/b"), false);
        reads.read(List.of("/next"), false);

        answers.get(0).completeExceptionally(new CoordinationException("not allowed"));
        answers.get(1).complete(Optional.empty());

        assertThat(read.get(0).toCompletableFuture()).isCompletedExceptionally();
        assertThat(read.get(1).toCompletableFuture()).isCompletedWithValue(Optional.empty());
        assertThat(requests).last().isEqualTo(List.of("/next"));
    }
}
