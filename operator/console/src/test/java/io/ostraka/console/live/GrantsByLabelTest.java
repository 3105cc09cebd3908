package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.operations.Operations;
import io.ostraka.console.EventRequest;
import io.ostraka.console.Namespaces;
import io.ostraka.console.security.Grant;
import io.ostraka.console.security.GrantedCaller;
import io.ostraka.console.security.Grants;
import io.ostraka.console.security.JobLabels;
import io.ostraka.core.time.SystemClock;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests streams whose callers have grants by label, which read the labels of a job, with the threads of a console. */
class GrantsByLabelTest {
    private final FakeNamespace namespace = new FakeNamespace(new SystemClock());
    private final SharedViews views = new SharedViews(namespace, new SystemClock());
    private final LiveFeeds feeds = new LiveFeeds(name -> Optional.of(views), 1, new SystemClock());
    private final JobLabels labels = new JobLabels(
            new Namespaces() {
                @Override
                public List<String> names() {
                    return List.of("prod");
                }

                @Override
                public Optional<Operations> operations(String name) {
                    return Optional.of(views);
                }
            },
            Clock.systemUTC());
    private final GrantedCaller caller = new GrantedCaller(
            "ann", "token", new Grants(List.of(Grant.parse("VIEWER prod label:team=payments")), labels));

    @BeforeEach
    void addJob() {
        namespace.add("pay", 1);
        namespace.labels = Map.of("team", "payments");
    }

    @AfterEach
    void close() {
        feeds.close();
    }

    private Subscription subscribe(String... jobs) {
        return feeds.subscribe(new EventRequest("prod", List.of(jobs), Set.of(), null), caller, () -> true);
    }

    @Test
    void streamOpensWhileARequestReadsTheSameLabels() throws Exception {
        subscribe().close(); // creates the feed, which observes all reads
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Thread request = new Thread(() -> labels.apply("prod", "pay"));
        Subscription[] stream = new Subscription[1];
        Thread subscriber = new Thread(() -> stream[0] = subscribe("pay"));
        namespace.beforeRead = () -> {
            if (Thread.currentThread() == request) {
                reading.countDown();
                await(answered);
            }
        };
        request.start();
        reading.await();
        subscriber.start();
        while (subscriber.isAlive() && subscriber.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        answered.countDown();

        subscriber.join();
        request.join();
        assertThat(stream[0].ended()).isFalse();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
