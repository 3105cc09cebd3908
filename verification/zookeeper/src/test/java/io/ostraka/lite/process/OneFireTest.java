package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassType;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Repository;
import io.ostraka.lite.TestingServers;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records, through the JVM's debugging interface, which methods are entered during one plain scheduled fire in a
 * process that does not lead. {@code docs/design/how-it-works.md} names the classes that take part.
 */
@Tag("cluster")
@Timeout(600) // the JVM reports each method, and this takes long on a busy machine
class OneFireTest {
    private static final Path DOCUMENT = Repository.designPage("how-it-works.md");
    private static final Pattern NAME = Pattern.compile("`([a-z]+\\.[A-Z]\\w+)`");
    private static final int RUNS_BEFORE = 6;
    private static final int MOST = 12;
    /**
     * Classes that show that a fire is not plain. {@code NodeRepair} and {@code Resync} take part when all nodes of the
     * job are read again, once a minute and after a lost session. {@code Misfire} and {@code Overlap} decide about fires that are late, which is possible on a
     * busy machine.
     */
    private static final Set<String> NOT_PLAIN =
            Set.of("job.NodeRepair", "job.Resync", "decide.Misfire", "decide.Overlap");
    /** Largest number of fires to record until one of them is plain. */
    private static final int MOST_FIRES = 20;

    /** Packages whose participating classes are counted. At most {@link #MOST} classes may take part. */
    private static final List<String> STORY = List.of("job", "decide", "run", "coordination");

    /** Classes that only observe the fire. */
    private static final Set<String> OBSERVERS = Set.of("job.HealthReasons", "job.ItemReasons", "job.RunEvents");

    /** Classes that only the periodic look uses, which may fall into the recorded fire. */
    private static final Set<String> PERIODIC = Set.of(
            "job.AlarmReport",
            "decide.AlarmCauses",
            "job.PlanReader",
            "job.RunSupervision",
            "job.SkippedFires",
            "job.StatusReport");

    @TempDir
    Path directory;

    @Test
    void atMostTwelveClassesTakePartInAPlainFire() throws Exception {
        TestingServer server = TestingServers.start(directory);
        try (ZooKeeperRegistry leader = ZooKeeperRegistry.connect(server.getConnectString(), "fire")) {
            leader.oneOff(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder("first", 1).build())
                    .scheduled()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS); // this instance has made the plan, so it leads

            Map<String, Boolean> entered = record(server.getConnectString());

            Set<String> story = classes(STORY, entered);
            assertThat(story).containsAll(OBSERVERS);
            story.removeAll(OBSERVERS);
            story.removeAll(PERIODIC);
            Set<String> documented = documented();
            System.out.println("one plain fire: " + story.size() + " classes of its path, "
                    + entered.values().stream().filter(value -> !value).count() + " of all packages of the engine");
            assertThat(story).hasSizeLessThanOrEqualTo(MOST).isSubsetOf(documented);
            assertThat(entered.keySet()).containsAll(documented);
        } finally {
            TestingServers.close(server);
        }
    }

    /** Returns the classes that the document's section on one fire names. */
    private static Set<String> documented() throws IOException {
        String section = Files.readString(DOCUMENT)
                .replaceFirst("(?s).*\\n## One fire\\n", "")
                .replaceFirst("(?s)\\n## .*", "");
        return NAME.matcher(section)
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the entered classes of some packages, without values: records, enums and interfaces. */
    private static Set<String> classes(List<String> packages, Map<String, Boolean> entered) {
        return entered.entrySet().stream()
                .filter(each -> !each.getValue())
                .map(Map.Entry::getKey)
                .filter(each -> packages.contains(each.substring(0, each.indexOf('.'))))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Returns the classes whose methods the JVM enters from one wake-up to the next. A class maps to true if it is a
     * value. Stops after the first plain fire, or after {@link #MOST_FIRES} fires.
     */
    private static Map<String, Boolean> record(String servers) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("main").setValue(OneFireProgram.class.getName() + " " + servers + " fire");
        arguments.get("options").setValue("-cp \"" + System.getProperty("java.class.path") + "\"");
        VirtualMachine program = connector.launch(arguments);
        try {
            Process process = program.process();
            discard(process.getErrorStream());
            program.resume();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            for (int runs = 0; runs < RUNS_BEFORE; ) {
                String line = output.readLine();
                assertThat(line).as("the program runs").isNotNull();
                runs += line.startsWith("ran ") ? 1 : 0;
            }
            discard(process.getInputStream());
            MethodEntryRequest entries = program.eventRequestManager().createMethodEntryRequest();
            entries.addClassFilter("io.ostraka.*");
            entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            entries.enable();
            return betweenWakeUps(program);
        } finally {
            program.process().destroyForcibly().waitFor();
        }
    }

    private static Map<String, Boolean> betweenWakeUps(VirtualMachine program) throws InterruptedException {
        Map<String, Boolean> entered = new TreeMap<>();
        Map<ReferenceType, Entered> known = new HashMap<>(); // to ask the program at each event would delay its fires
        int wakeUps = 0;
        while (true) {
            for (Event event : program.eventQueue().remove()) {
                if (event instanceof MethodEntryEvent entry) {
                    ReferenceType type = entry.method().declaringType();
                    Entered found = known.computeIfAbsent(type, each -> Entered.of(program, each));
                    String name = found.name;
                    if (name.equals("job.HostedJob") && entry.method().name().equals("wake")) {
                        boolean plain = wakeUps > 0
                                && entered.keySet().containsAll(OBSERVERS) // else the fire has not ended yet
                                && Collections.disjoint(entered.keySet(), NOT_PLAIN);
                        if (plain || wakeUps == MOST_FIRES) {
                            return entered;
                        }
                        wakeUps++;
                        entered.clear();
                    }
                    // the body of a lambda is a method of the enclosing class
                    if (wakeUps > 0 && !found.lambda) {
                        entered.merge(name, found.value, Boolean::logicalAnd);
                    }
                }
            }
        }
    }

    /** A class with an entered method. The name is that of the outermost class, without the common prefix. */
    private record Entered(String name, boolean lambda, boolean value) {
        static Entered of(VirtualMachine program, ReferenceType type) {
            return new Entered(
                    type.name().replaceFirst("^io\\.ostraka\\.(core\\.)?", "").replaceFirst("\\$.*", ""),
                    type.name().contains("$$Lambda"),
                    isValue(type) || isValue(outermost(program, type)));
        }
    }

    private static ReferenceType outermost(VirtualMachine program, ReferenceType nested) {
        return program.classesByName(nested.name().replaceFirst("\\$.*", "")).stream()
                .findFirst()
                .orElse(nested);
    }

    private static boolean isValue(ReferenceType type) {
        if (!(type instanceof ClassType known)) {
            return true; // an interface; the values are records that implement it
        }
        ClassType above = known.superclass();
        return above != null && Set.of("java.lang.Record", "java.lang.Enum").contains(above.name());
    }

    private static void discard(InputStream stream) {
        Thread reader = new Thread(
                () -> {
                    try {
                        stream.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // the program has ended
                    }
                },
                "discard");
        reader.setDaemon(true);
        reader.start();
    }
}
