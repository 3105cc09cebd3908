package io.ostraka.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.event.BatchSubscriber;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.CapturedErrors;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private final Queue<Runnable> workers = new ArrayDeque<>();
    private final List<Event> received = new ArrayList<>();

    private static Event event(int number) {
        return new LeaderChanged(true, "host@1@s", Instant.EPOCH.plusSeconds(number));
    }

    private void runWorkers() {
        while (!workers.isEmpty()) {
            workers.remove().run();
        }
    }

    private static int times(CapturedErrors log, String text) {
        return log.text().split(text, -1).length - 1;
    }

    @Test
    void deliversInOrderOnAWorkerAndReportsDelivery() {
        EventQueue queue = new EventQueue("subscriber", received::add, workers::add);
        List<Event> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(event(i));
            queue.on(event(i));
        }
        CompletableFuture<Void> delivered = queue.delivered();

        assertThat(received).as("the publisher's thread calls nothing").isEmpty();
        assertThat(queue.waiting()).isEqualTo(100);
        assertThat(delivered).isNotDone();
        runWorkers();
        assertThat(received).isEqualTo(all);
        assertThat(queue.waiting()).isZero();
        assertThat(delivered).isCompleted();
    }

    @Test
    void dropsAndCountsEventsOfFullQueue() {
        EventQueue queue = new EventQueue("subscriber", received::add, workers::add);
        try (CapturedErrors log = new CapturedErrors()) {
            for (int i = 0; i < EventQueue.CAPACITY + 7; i++) {
                queue.on(event(i));
            }
            assertThat(queue.waiting()).isEqualTo(EventQueue.CAPACITY);
            assertThat(queue.dropped()).isEqualTo(7);
            assertThat(times(log, "is too slow")).as("one line for all of them").isEqualTo(1);

            runWorkers();
            assertThat(received).hasSize(EventQueue.CAPACITY);
            queue.on(event(-1));
            runWorkers();
        }
        assertThat(received).last().isEqualTo(event(-1));
    }

    @Test
    void subscriberLearnsOnceHowManyEventsWereDropped() {
        List<Long> dropped = new ArrayList<>();
        EventQueue queue = new EventQueue(
                "subscriber",
                new EventSubscriber() {
                    @Override
                    public void on(Event event) {}

                    @Override
                    public void dropped(long count) {
                        dropped.add(count);
                    }
                },
                workers::add);
        try (CapturedErrors log = new CapturedErrors()) {
            for (int i = 0; i < EventQueue.CAPACITY + 7; i++) {
                queue.on(event(i));
            }
            assertThat(times(log, "is too slow")).isEqualTo(1);
        }
        runWorkers();
        queue.on(event(-1));
        runWorkers();

        assertThat(dropped).containsExactly(7L);
    }

    @Test
    void logsFirstFailureAndKeepsCallingSubscriber() {
        EventQueue queue = new EventQueue(
                "subscriber",
                event -> {
                    received.add(event);
                    throw new AssertionError("a defect of a subscriber");
                },
                workers::add);
        try (CapturedErrors log = new CapturedErrors()) {
            queue.on(event(1));
            queue.on(event(2));
            runWorkers();
            assertThat(times(log, "failed and may have missed events")).isEqualTo(1);
        }
        assertThat(received).containsExactly(event(1), event(2));
    }

    @Test
    void passesWaitingEventsToBatchSubscriberTogether() {
        List<List<Event>> batches = new ArrayList<>();
        EventQueue queue = new EventQueue("subscriber", (BatchSubscriber) batches::add, workers::add);
        List<Event> all = new ArrayList<>();
        for (int i = 0; i < 2 * EventQueue.LARGEST_BATCH + 7; i++) {
            all.add(event(i));
            queue.on(event(i));
        }
        assertThat(batches).as("the publisher's thread calls nothing").isEmpty();
        runWorkers();
        assertThat(batches)
                .extracting(List::size)
                .containsExactly(EventQueue.LARGEST_BATCH, EventQueue.LARGEST_BATCH, 7);
        assertThat(batches.stream().flatMap(List::stream)).isEqualTo(all);
        assertThat(queue.waiting()).isZero();
    }

    /** The events of an unfinished batch would otherwise wait for the next event. */
    @Test
    void passesOnlyTheLatestStateAfterTheEventsBeforeIt() {
        List<Object> calls = new ArrayList<>();
        EventQueue queue = new EventQueue(
                "subscriber",
                new BatchSubscriber() {
                    @Override
                    public void on(List<Event> events) {
                        calls.addAll(events);
                    }

                    @Override
                    public void status(Status status) {
                        calls.add(status);
                    }
                },
                workers::add);
        Status latest = new Status(true, Map.of(), Map.of(), Set.of());
        queue.on(event(1));
        queue.status(Status.NONE);
        queue.status(latest);
        runWorkers();

        assertThat(calls).containsExactly(event(1), latest);
        assertThat(queue.waiting()).isZero();
        queue.status(Status.NONE);
        runWorkers();
        assertThat(calls).containsExactly(event(1), latest, Status.NONE);
    }

    @Test
    void passesEventToBatchSubscriberWithoutDelay() {
        List<List<Event>> batches = new ArrayList<>();
        EventQueue queue = new EventQueue("subscriber", (BatchSubscriber) batches::add, workers::add);
        queue.on(event(1));
        workers.remove().run();
        assertThat(batches).containsExactly(List.of(event(1)));
    }

    @Test
    void reportsDeliveryAfterBatchBeforeIt() {
        List<List<Event>> batches = new ArrayList<>();
        EventQueue queue = new EventQueue("subscriber", (BatchSubscriber) batches::add, workers::add);
        queue.on(event(1));
        queue.on(event(2));
        CompletableFuture<Integer> delivered = queue.delivered().thenApply(all -> batches.size());
        queue.on(event(3));
        runWorkers();
        assertThat(delivered).isCompletedWithValue(1);
        assertThat(batches).containsExactly(List.of(event(1), event(2)), List.of(event(3)));
        queue.delivered();
        runWorkers();
        assertThat(batches).as("no empty batch").hasSize(2);
    }

    @Test
    void keepsCallingBatchSubscriberThatFails() {
        EventQueue queue = new EventQueue(
                "subscriber",
                (BatchSubscriber) events -> {
                    received.addAll(events);
                    throw new AssertionError("a defect of a subscriber");
                },
                workers::add);
        try (CapturedErrors log = new CapturedErrors()) {
            queue.on(event(1));
            runWorkers();
            queue.on(event(2));
            runWorkers();
            assertThat(times(log, "failed and may have missed events")).isEqualTo(1);
        }
        assertThat(received).containsExactly(event(1), event(2));
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void asksOncePerKindAndSkipsEventsWithoutReceiver() {
        List<Class<?>> asked = new ArrayList<>();
        EventSubscriber nothing = new EventSubscriber() {
            @Override
            public boolean receives(Class<? extends Event> kind) {
                asked.add(kind);
                return false;
            }

            @Override
            public void on(Event event) {
                received.add(event);
            }
        };
        Events events = new Events(List.of(nothing), List.of(), null);

        assertThat(events.received(LeaderChanged.class)).isFalse();
        events.publish(event(1));
        assertThat(events.received(LeaderChanged.class)).isFalse();
        assertThat(asked).containsExactly(LeaderChanged.class);
        assertThat(received).isEmpty();
    }
}
