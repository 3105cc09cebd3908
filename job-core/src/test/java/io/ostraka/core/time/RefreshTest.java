package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.CapturedErrors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RefreshTest {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String DEFECT = "because of a defect";

    private final Steps steps = new Steps();
    private final List<CompletableFuture<String>> requests = new ArrayList<>();
    private final List<String> taken = new ArrayList<>();
    private boolean possible = true;
    private final Refresh<String> refresh = refresh(PAUSE);

    private Refresh<String> refresh(@Nullable Duration pause) {
        return new Refresh<>("the read", steps, pause, () -> possible, this::request, taken::add);
    }

    private CompletionStage<String> request() {
        CompletableFuture<String> reply = new CompletableFuture<>();
        requests.add(reply);
        return reply;
    }

    private void reply(String value) {
        requests.get(requests.size() - 1).complete(value);
        steps.run();
    }

    private void fail(Throwable error) {
        requests.get(requests.size() - 1).completeExceptionally(error);
        steps.run();
    }

    private static CoordinationException noConnection() {
        return new CoordinationException("no connection");
    }

    @Test
    void demandsDuringRequestShareTheNextOne() {
        refresh.demand();
        refresh.demand();
        refresh.demand();
        assertThat(requests).hasSize(1);

        reply("a");
        assertThat(requests).hasSize(2);
        reply("b");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(2);
        assertThat(taken).containsExactly("a", "b");

        refresh.demand();
        assertThat(requests).hasSize(3);
    }

    @Test
    void passesReplyOnInStepOfExecutor() {
        refresh.demand();
        requests.get(0).complete("a");
        assertThat(taken).isEmpty();

        steps.run();
        assertThat(taken).containsExactly("a");
    }

    @Test
    void repeatsFailedRequestAfterPause() {
        refresh.demand();
        for (int i = 1; i < 4; i++) {
            fail(noConnection());
            steps.advance(PAUSE.minusNanos(1));
            assertThat(requests).hasSize(i);
            steps.advance(Duration.ofNanos(1));
            assertThat(requests).hasSize(i + 1);
        }
        reply("a");
        assertThat(taken).containsExactly("a");
    }

    @Test
    void demandEndsPause() {
        refresh.demand();
        fail(noConnection());
        refresh.demand();
        assertThat(requests).hasSize(2);

        reply("a");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(2);
    }

    @Test
    void demandDuringFailingRequestIsServedWithoutPause() {
        refresh.demand();
        refresh.demand();
        fail(noConnection());
        assertThat(requests).hasSize(2);

        reply("a");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(2);
    }

    @Test
    void failedRequestWithoutPauseWaitsForNextDemand() {
        Refresh<String> patient = refresh(null);
        patient.demand();
        fail(noConnection());
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(1);

        patient.demand();
        assertThat(requests).hasSize(2);
    }

    @Test
    void requestThatThrowsIsRepeated() {
        Refresh<String> throwing = new Refresh<>(
                "the read",
                steps,
                PAUSE,
                () -> true,
                () -> {
                    if (request() == requests.get(0)) {
                        throw noConnection();
                    }
                    return requests.get(1);
                },
                taken::add);
        throwing.demand();
        steps.run();
        steps.advance(PAUSE);
        reply("a");
        assertThat(taken).containsExactly("a");
    }

    @Test
    void defectIsLoggedOnceUntilRequestSucceeds() {
        try (CapturedErrors errors = new CapturedErrors()) {
            refresh.demand();
            fail(new AssertionError("first"));
            steps.advance(PAUSE);
            fail(new AssertionError("second"));
            steps.advance(PAUSE);
            assertThat(errors.text()).containsOnlyOnce(DEFECT).contains("the read", "first");

            reply("a");
            refresh.demand();
            fail(new AssertionError("third"));
            assertThat(errors.text().split(DEFECT, -1)).hasSize(3);
        }
    }

    @Test
    void lostConnectionIsNoDefect() {
        try (CapturedErrors errors = new CapturedErrors()) {
            refresh.demand();
            fail(noConnection());
            assertThat(errors.text()).doesNotContain(DEFECT);
        }
    }

    @Test
    void failureOfConsumerIsRepeatedAfterPause() {
        Refresh<String> failing = new Refresh<>("the read", steps, PAUSE, () -> true, this::request, reply -> {
            taken.add(reply);
            if (taken.size() == 1) {
                throw new AssertionError("of the consumer");
            }
        });
        try (CapturedErrors errors = new CapturedErrors()) {
            failing.demand();
            reply("a");
            assertThat(requests).hasSize(1);
            assertThat(errors.text()).contains(DEFECT, "of the consumer");
        }
        steps.advance(PAUSE);
        reply("b");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(2);
        assertThat(taken).containsExactly("a", "b");
    }

    @Test
    void demandOfConsumerWaitsUntilConsumerReturns() {
        List<Refresh<String>> self = new ArrayList<>();
        self.add(new Refresh<>("the read", steps, PAUSE, () -> true, this::request, reply -> {
            self.get(0).demand();
            self.get(0).rest(PAUSE);
        }));
        self.get(0).demand();
        reply("a");
        assertThat(requests).hasSize(1);

        steps.advance(PAUSE);
        assertThat(requests).hasSize(2);
    }

    @Test
    void impossibleDemandIsDropped() {
        possible = false;
        refresh.demand();
        assertThat(requests).isEmpty();

        possible = true;
        refresh.demand();
        refresh.demand();
        possible = false; // for example because the connection was lost
        fail(noConnection());
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(1);
    }

    @Test
    void delayedDemandIsReplacedByAnyOtherOne() {
        refresh.demandAfter(PAUSE.multipliedBy(2));
        refresh.demandAfter(PAUSE);
        steps.advance(PAUSE);
        assertThat(requests).hasSize(1);
        reply("a");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(1);

        refresh.demandAfter(PAUSE);
        refresh.demand();
        reply("b");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(2);
    }

    @Test
    void demandsDuringRestShareRequestAtItsEnd() {
        refresh.demand();
        reply("a");
        refresh.rest(PAUSE);
        assertThat(refresh.idle()).isFalse();
        refresh.demand();
        refresh.demand();
        steps.advance(PAUSE.minusNanos(1));
        assertThat(requests).hasSize(1);
        assertThat(refresh.demanded()).isTrue();

        steps.advance(Duration.ofNanos(1));
        assertThat(requests).hasSize(2);
        reply("b");
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(2);
        assertThat(refresh.idle()).isTrue();
    }

    @Test
    void restWithoutDemandSendsNothing() {
        refresh.rest(PAUSE);
        steps.advance(PAUSE);
        assertThat(requests).isEmpty();
        refresh.demand();
        assertThat(requests).hasSize(1);
    }

    @Test
    void demandDuringRequestWaitsForEndOfLaterRest() {
        refresh.demand();
        refresh.rest(PAUSE);
        refresh.demand();
        reply("a");
        assertThat(requests).hasSize(1);

        steps.advance(PAUSE);
        assertThat(requests).hasSize(2);
    }

    @Test
    void repeatsRequestThatFailsDuringRestAtItsEnd() {
        refresh.demand();
        refresh.rest(PAUSE.multipliedBy(2));
        fail(noConnection());
        refresh.demand();
        steps.advance(PAUSE);
        assertThat(requests).hasSize(1);

        steps.advance(PAUSE);
        assertThat(requests).hasSize(2);
    }

    @Test
    void endedRestDoesNotEndTheNextOne() {
        refresh.rest(PAUSE);
        refresh.endRest();
        refresh.demand();
        reply("a");
        steps.advance(PAUSE.dividedBy(2));
        refresh.rest(PAUSE);
        refresh.demand();
        steps.advance(PAUSE.minusNanos(1));
        assertThat(requests).hasSize(1);

        steps.advance(Duration.ofNanos(1));
        assertThat(requests).hasSize(2);
    }

    @Test
    void delayThatWasEndedTooLateHasNoEffect() {
        refresh.demandAfter(PAUSE);
        Runnable late = steps.delayed.get(0).step(); // the timer has passed it on already
        refresh.demand();
        reply("a");
        refresh.rest(PAUSE);
        late.run();
        assertThat(requests).hasSize(1);
        assertThat(refresh.idle()).isFalse();
    }

    @Test
    void sendsNothingAfterClose() {
        refresh.demand();
        refresh.demand();
        refresh.demandAfter(PAUSE);
        refresh.close();
        reply("a");
        refresh.demand();
        steps.advance(PAUSE.multipliedBy(10));
        assertThat(requests).hasSize(1);
        assertThat(taken).isEmpty();
    }

    /** Runs steps in virtual time, which only {@link #advance} changes. */
    private static final class Steps implements TimedExecutor {
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private final List<Delayed> delayed = new ArrayList<>();
        private Duration now = Duration.ZERO;

        private record Delayed(Duration at, Runnable step) {}

        @Override
        public void execute(Runnable step) {
            waiting.add(step);
        }

        @Override
        public Runnable after(Duration delay, Runnable step) {
            Delayed later = new Delayed(now.plus(delay), step);
            delayed.add(later);
            return () -> delayed.remove(later);
        }

        void run() {
            while (!waiting.isEmpty()) {
                waiting.remove().run();
            }
        }

        void advance(Duration time) {
            Duration end = now.plus(time);
            run();
            for (Delayed next = next(end); next != null; next = next(end)) {
                now = next.at;
                delayed.remove(next);
                next.step.run();
                run();
            }
            now = end;
        }

        private @Nullable Delayed next(Duration end) {
            return delayed.stream()
                    .filter(each -> each.at.compareTo(end) <= 0)
                    .min(Comparator.comparing(Delayed::at))
                    .orElse(null);
        }
    }
}
