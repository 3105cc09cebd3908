package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Violation;
import io.ostraka.faults.mutants.Mutant;
import io.ostraka.faults.worker.Worker;
import io.ostraka.faults.worker.Workload;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that faults expose known defects of the protocol in real processes. */
@Tag("faults")
@Timeout(300)
class SeededDefectsTest {
    /** Generous limit. It only ends a failing test. */
    private static final long LIMIT_SECONDS = 90;
    /** Shorter than the time after which a silent worker counts as lost. */
    private static final Duration WHILE_HELD = Duration.ofMillis(2_600);
    /** Maximum number of attempts on a machine that is too slow for {@link #WHILE_HELD}. */
    private static final int ROUNDS = 8;

    private static final String RECORD = ThreeWorkers.path("/jobs/" + Workload.LARGE + "/sharding/");
    private static final Pattern ITEM = Pattern.compile(Pattern.quote(RECORD) + "(\\d+)");

    @Test
    void findsClaimOfUnknownOutcomeTakenAsDone(@TempDir Path directory) throws Exception {
        try (ThreeWorkers cluster = new ThreeWorkers(directory, Mutant.UNKNOWN_AS_SUCCESS)) {
            ThreeWorkers.Member guesses = cluster.first();
            within(guesses.way().holdFrom(SeededDefectsTest::completes)); // a completion follows a claim
            guesses.way().heal();

            Request lost = within(guesses.way().loseRequest(SeededDefectsTest::claims));
            long since = System.nanoTime();
            assertThat(ThreeWorkers.comes(
                            Duration.ofSeconds(LIMIT_SECONDS), () -> begun(guesses.worker(), items(lost), since)))
                    .isTrue();

            assertThat(told(Mutant.UNKNOWN_AS_SUCCESS, cluster.violations())).contains("I1");
        }
    }

    @Test
    void findsCompletionWithoutVersion(@TempDir Path directory) throws Exception {
        assertThat(told(Mutant.COMPLETION_WITHOUT_VERSION, overtaken(directory, Mutant.COMPLETION_WITHOUT_VERSION)))
                .contains("I2");
    }

    @Test
    void refusesCompletionOvertakenByAnotherInstance(@TempDir Path directory) throws Exception {
        assertThat(overtaken(directory, null)).isEmpty();
    }

    private static List<Violation> overtaken(Path directory, @Nullable Mutant mutant) throws Exception {
        try (ThreeWorkers cluster = new ThreeWorkers(directory, mutant)) {
            int rounds = 1;
            while (!overtaken(cluster)) {
                assertThat(rounds++)
                        .as("rounds without an overtaken completion")
                        .isLessThan(ROUNDS);
            }
            return cluster.violations();
        }
    }

    /**
     * A worker loses its session while a completion is on its way, and sends the completion again in its next session.
     * Meanwhile the held claim of another worker arrives. That worker takes over an item of the completion and ends the
     * item's fire.
     *
     * @return false if this did not happen in time, because a held worker lost its session
     */
    private static boolean overtaken(ThreeWorkers cluster) throws Exception {
        ThreeWorkers.Member late = cluster.first();
        Set<String> ended = items(within(late.way().holdFrom(SeededDefectsTest::completes)));
        AtomicBoolean first = new AtomicBoolean(true);
        CompletableFuture<?>[] claims = cluster.others().stream()
                .map(other -> other.way()
                        .holdFrom(request ->
                                claims(request) && isAbout(request, ended) && first.compareAndSet(true, false)))
                .toArray(CompletableFuture[]::new);
        late.way().session().end();
        Set<String> taken = items((Request) within(CompletableFuture.anyOf(claims)));
        cluster.others().forEach(other -> other.way().hold(Direction.TO_SERVER));

        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Request> again =
                late.way().holdFrom(request -> completes(request) && isAbout(request, taken) && !over.get());
        late.way().heal();
        try {
            Set<String> running = items(again.get(WHILE_HELD.toMillis(), TimeUnit.MILLISECONDS)).stream()
                    .filter(taken::contains)
                    .map(item -> RECORD + item + "/running")
                    .collect(Collectors.toSet());
            cluster.others().forEach(other -> other.way().heal());
            if (!ThreeWorkers.comes(
                    WHILE_HELD, () -> cluster.ephemerals().stream().anyMatch(running::contains))) {
                return false;
            }
            late.way().heal();
            return ThreeWorkers.comes(
                    WHILE_HELD, () -> cluster.ephemerals().stream().noneMatch(running::contains));
        } catch (TimeoutException e) {
            return false;
        } finally {
            over.set(true);
            cluster.others().forEach(other -> other.way().heal());
            late.way().heal();
        }
    }

    private static <T> T within(CompletableFuture<T> what) throws Exception {
        return what.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static boolean completes(Request request) {
        Request.Operation first = request.operations().get(0);
        return first.type() == Request.Type.SET_DATA
                && ITEM.matcher(first.path()).matches()
                && !claims(request);
    }

    private static boolean claims(Request request) {
        return request.has(Request.Type.CREATE, ITEM.pattern() + "/running");
    }

    private static boolean isAbout(Request request, Set<String> items) {
        return items(request).stream().anyMatch(items::contains);
    }

    private static Set<String> items(Request request) {
        Set<String> items = new HashSet<>();
        for (Request.Operation operation : request.operations()) {
            Matcher item = ITEM.matcher(operation.path());
            if (item.matches()) {
                items.add(item.group(1));
            }
        }
        return items;
    }

    private static boolean begun(Worker worker, Set<String> items, long since) {
        try {
            return worker.history().stream()
                    .filter(line -> line.nanos() > since)
                    .anyMatch(line -> line.event() instanceof Event.Began began
                            && began.run().item().job().equals(Workload.LARGE)
                            && items.contains(began.run().item().key()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> told(Mutant mutant, List<Violation> violations) {
        violations.stream().limit(3).forEach(violation -> System.out.println(mutant + ": " + violation.what()));
        return violations.stream().map(Violation::invariant).collect(Collectors.toSet());
    }
}
