package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Creates and removes fifty jobs twenty times; {@code -Dostraka.jobs=1000} sets the number of jobs of the scenario. */
@Tag("cluster")
@Timeout(600)
class RepeatedRemovalTest {
    private static final int ROUNDS = 20;
    private static final int JOBS = Integer.getInteger("ostraka.jobs", 50);
    /** Number of rounds after which classes are loaded, pools are filled and bounded histories are full. */
    private static final int WARM = 3;
    /**
     * Tolerated difference from the heap of a warm round. The server keeps its latest transactions, which vary in size.
     */
    private static final long TOLERATED_BYTES = 16L << 20;

    /**
     * Classes whose objects are counted: those of the library and its clients, and a kind of map that only the library
     * uses for jobs. Other classes are not counted, because the server in this process keeps its own transactions.
     * {@code ItemForm.Second} is not counted either: the library keeps the latest sixteen objects of this class, and
     * quick rounds may create fewer before round {@link #WARM} ends. Nor is {@code NodeFields.Component}: its objects
     * describe the fields of a class, once for each class, when a node of this class is first read or written.
     */
    private static final Pattern OWN = Pattern.compile(
            "java\\.util\\.EnumMap|io\\.ostraka\\.(?!core\\.tree\\.(ItemForm\\$Second|NodeFields\\$Component)$)(api|core|zk|lite\\.[A-Z]).*|org\\.(quartz|apache\\.curator)\\..*|org\\.apache\\.zookeeper\\.(ZooKeeper|ClientCnxn|Watcher).*");

    private static final Pattern CLASS = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

    private final Set<String> ran = ConcurrentHashMap.newKeySet();

    /** Threads of earlier tests in this process. Some of them may still be about to end. */
    private final Set<Thread> others = Thread.getAllStackTraces().keySet();

    /** The resources in use while no job exists. */
    private record Kept(List<String> threads, List<Set<String>> watched, int watches, int nodes) {}

    /** Scenario 13. Guards against a scheduler that keeps threads, watches and listeners of every job it ever had. */
    @Test
    void repeatedlyRemovedJobsLeaveNothingBehind(@TempDir Path directory) throws Exception {
        try (CountingServer server = new CountingServer(directory);
                ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(server.servers(), "rounds")
                        .sessionTimeout(Duration.ofSeconds(20))
                        .connect()) {
            loadConstants();
            round(registry, 0, 1);
            Eventually.holds("no watch of the job", () -> watchesNoJob(server));
            Eventually.holds("the node of the instance's health", () -> !server.children("/rounds/health")
                    .isEmpty());
            Eventually.holds(
                    "the leader's watch of health",
                    () -> server.watched().stream().flatMap(Set::stream).anyMatch("/rounds/health"::equals));
            registry.operations().instances(); // decodes the nodes that a leader reads only after its first seconds
            registry.operations().alarms();
            Kept baseline = kept(server);
            Map<String, Long> objects = Map.of();
            long bytes = 0;
            for (int round = 1; round <= ROUNDS; round++) {
                round(registry, round, JOBS);
                awaitBaseline(server, baseline);
                if (round == WARM) {
                    objects = own();
                    bytes = heap();
                }
            }
            awaitNothingGrown(objects);
            assertThat(heap()).as("bytes in use").isBetween(bytes - TOLERATED_BYTES, bytes + TOLERATED_BYTES);
        }
    }

    /** Creates the constants of classes that a leader uses only after its first seconds. */
    private static void loadConstants() throws ClassNotFoundException {
        for (String name : List.of("io.ostraka.api.AlarmPolicy$Setting", "io.ostraka.core.decide.ExpectedFire")) {
            Class.forName(name);
        }
    }

    private static boolean watchesNoJob(CountingServer server) {
        return server.watched().stream().flatMap(Set::stream).noneMatch(path -> path.startsWith("/rounds/jobs/"));
    }

    private void awaitBaseline(CountingServer server, Kept baseline) {
        try {
            Eventually.holds("the baseline", () -> kept(server).equals(baseline));
        } catch (AssertionError e) {
            assertThat(kept(server)).as("resources in the end").isEqualTo(baseline);
        }
    }

    /** Registers and schedules new jobs, waits until each has run, then unregisters, removes and purges them. */
    private void round(ZooKeeperRegistry registry, int round, int jobs) {
        ran.clear();
        SimpleJob recording = context -> ran.add(context.jobName());
        List<ScheduleJobBootstrap> bootstraps = IntStream.range(0, jobs)
                .mapToObj(job -> new ScheduleJobBootstrap(
                        registry,
                        recording,
                        JobConfiguration.newBuilder(name(round, job), 1)
                                .schedule(Schedule.fixedRate(Duration.ofMillis(500)))
                                .build()))
                .toList();
        bootstraps.forEach(ScheduleJobBootstrap::schedule);
        Eventually.holds("a run of each of " + jobs + " jobs", () -> ran.size() == jobs);
        bootstraps.parallelStream().forEach(ScheduleJobBootstrap::close);
        IntStream.range(0, jobs)
                .parallel()
                .forEach(job -> Operator.execute(registry, new Command.Remove(name(round, job))));
        IntStream.range(0, jobs)
                .parallel()
                .forEach(job ->
                        Attempts.succeeds(() -> Operator.execute(registry, new Command.Purge(name(round, job)))));
    }

    private static String name(int round, int job) {
        return "job-" + round + "-" + job;
    }

    private Kept kept(CountingServer server) {
        List<String> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !others.contains(thread))
                .map(Thread::getName)
                .filter(name -> !name.startsWith("ostraka-worker-")
                        && !name.startsWith("NIOWorkerThread")
                        && !name.startsWith("ForkJoinPool") // the JDK's own
                        && !name.equals("CompletableFutureDelayScheduler") // the JDK's own, after its first timeout
                        && !name.equals("process reaper") // the JDK's own, for processes that another test started
                        && !name.equals("Attach Listener") // the JDK's own, after the first use of jstack
                        && !name.startsWith("pool-")) // this test's
                .sorted()
                .toList();
        return new Kept(threads, server.watched(), server.watches(), server.nodes());
    }

    /**
     * Waits until no more objects exist than before. Timers and threads may refer to the last jobs for some seconds.
     */
    private static void awaitNothingGrown(Map<String, Long> before) {
        try {
            Eventually.holds("no more objects than before", () -> grown(before).isEmpty());
        } catch (AssertionError e) {
            assertThat(grown(before))
                    .as("more objects than after round " + WARM)
                    .isEmpty();
        }
    }

    /** Returns the number of live objects by class, for the classes of {@link #OWN}. */
    private static Map<String, Long> own() {
        Map<String, Long> own = new TreeMap<>();
        histogram().forEach(found -> {
            if (OWN.matcher(found.group(3)).matches()) {
                own.put(found.group(3), Long.parseLong(found.group(1)));
            }
        });
        return own;
    }

    /**
     * Returns the classes that have more objects than before, even one more. The only object of a lambda that
     * captures nothing is ignored, and so are the constants of an enum: the JVM creates them on the first use, and this may
     * happen after the warm rounds. Their number cannot grow further.
     */
    private static Map<String, Long> grown(Map<String, Long> before) {
        Map<String, Long> grown = own();
        grown.entrySet().removeIf(now -> now.getValue() <= before.getOrDefault(now.getKey(), 0L));
        grown.entrySet()
                .removeIf(now -> !before.containsKey(now.getKey())
                        && (isEnum(now.getKey()) || (now.getKey().contains("$$Lambda") && now.getValue() == 1)));
        return grown;
    }

    private static boolean isEnum(String name) {
        try {
            return Class.forName(name).isEnum();
        } catch (ClassNotFoundException e) { // a lambda
            return false;
        }
    }

    private static long heap() {
        return histogram().stream()
                .mapToLong(found -> Long.parseLong(found.group(2)))
                .sum();
    }

    /** Returns a histogram of the live objects by class, after a garbage collection. */
    private static List<MatchResult> histogram() {
        try {
            Object answer = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
            return answer.toString()
                    .lines()
                    .map(CLASS::matcher)
                    .filter(matcher -> matcher.matches())
                    .map(matcher -> matcher.toMatchResult())
                    .toList();
        } catch (JMException e) {
            throw new IllegalStateException("this JVM shows no histogram of its classes", e);
        }
    }
}
