package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.Namespaces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Changes a namespace at random, in virtual time, while clients connect, read slowly, disconnect and connect again. At
 * the end, the copy of each client equals the lists that it may read.
 */
class LiveFeedRandomTest {
    private static final int SEEDS = Integer.getInteger("ostraka.live.seeds", 30);
    private static final int STEPS = 300;
    private static final List<String> JOBS = List.of("a", "b", "c", "d");

    @Test
    void copyOfEachClientEqualsTheListsAtTheEnd() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Scenario(seed).run();
        }
    }

    private static final class Scenario {
        private final long seed;
        private final SplittableRandom random;
        private final VirtualTimer timer = new VirtualTimer();
        private final FakeNamespace namespace = new FakeNamespace(timer);
        private final SharedViews views = new SharedViews(namespace, timer);
        private final LiveFeeds feeds = new LiveFeeds(name -> Optional.of(views), timer, timer, timer, () -> "e");
        private final Api api = new Api(
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
                false);
        private final List<LiveClient> clients = new ArrayList<>();
        private int versions;

        Scenario(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        void run() {
            boolean crowded = seed % 25 == 0; // more jobs than a queue holds
            for (int i = 0; i < (crowded ? 300 : 2); i++) {
                namespace.add(crowded ? "job-" + i : JOBS.get(i), 2);
            }
            for (int i = 0; i < 5; i++) {
                TestCaller caller = i < 2 ? TestCaller.of("c" + i, "a", "c") : TestCaller.ofAllJobs("c" + i);
                LiveClient client = new LiveClient(
                        api,
                        feeds,
                        caller,
                        JOBS.stream().filter(job -> random.nextInt(3) == 0).toArray(String[]::new));
                client.patient = random.nextBoolean();
                if (i % 2 == 0) {
                    client.showing(
                            JOBS.stream().filter(job -> random.nextInt(3) == 0).toArray(String[]::new));
                }
                clients.add(client);
            }
            namespace.beforeRead = () -> {
                if (random.nextInt(10) == 0) {
                    change(); // between the reads of one cycle
                }
            };
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            finish();
        }

        private void step() {
            LiveClient client = clients.get(random.nextInt(clients.size()));
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> change();
                case 3 -> timer.advance(Duration.ofMillis(random.nextInt(3_000)));
                case 4 -> timer.settle();
                case 5 -> {
                    if (client.connected() && random.nextInt(3) == 0) {
                        client.disconnect();
                    }
                }
                case 6, 7 -> connect(client);
                case 8, 9 -> {
                    if (client.connected()) {
                        client.drain();
                    }
                }
                case 10 -> client.readLists();
                default -> {
                    if (random.nextInt(20) == 0) {
                        timer.advance(Duration.ofSeconds(random.nextInt(150)));
                    } else if (random.nextInt(10) == 0) {
                        namespace.down = !namespace.down;
                    } else if (random.nextInt(10) == 0 && !namespace.jobs.isEmpty()) {
                        namespace.jobs.replaceAll((job, triggers) -> ++versions);
                    } else {
                        client.read(); // another page of the same caller, which fills the shared answers
                    }
                }
            }
        }

        private void connect(LiveClient client) {
            if (client.connected() && client.subscription().ended()) {
                client.disconnect();
            }
            if (!client.connected()) {
                client.connect();
            }
        }

        private void change() {
            String job = JOBS.get(random.nextInt(JOBS.size()));
            versions++;
            switch (random.nextInt(9)) {
                case 0 -> namespace.add(job, 1 + random.nextInt(4));
                case 1 -> namespace.remove(job);
                case 2 -> namespace.jobs.computeIfPresent(job, (name, triggers) -> versions);
                case 3, 4 -> {
                    if (namespace.items.containsKey(job)) {
                        namespace.items.get(job).put(String.valueOf(random.nextInt(4)), versions);
                    }
                }
                case 5 -> {
                    if (namespace.items.containsKey(job)) {
                        namespace.items.get(job).remove(String.valueOf(random.nextInt(4)));
                    }
                }
                case 6 -> {
                    String of = random.nextInt(3) == 0 ? "" : job; // an alarm keeps its job
                    if (namespace.alarms.remove("of-" + of) == null) {
                        namespace.alarms.put("of-" + of, of);
                    }
                }
                case 7 -> {
                    String id = "i" + random.nextInt(3);
                    if (random.nextBoolean() || namespace.instances.remove(id) == null) {
                        Map<String, Integer> items = new TreeMap<>();
                        items.put(job, versions);
                        namespace.instances.put(id, items);
                    }
                }
                default -> {
                    String id = "of-" + job;
                    if (!namespace.ended.remove(id)) {
                        namespace.ended.add(id);
                    }
                }
            }
        }

        private void finish() {
            namespace.down = false;
            namespace.beforeRead = () -> {};
            for (LiveClient client : clients) {
                connect(client);
                client.drain(); // so that it is not disconnected for taking nothing
            }
            timer.advance(Duration.ofSeconds(7));
            for (LiveClient client : clients) {
                client.drain();
                client.readLists();
                assertThat(client.copy())
                        .as("seed %d, events %s", seed, client.types())
                        .isEqualTo(client.read());
            }
        }
    }
}
