package io.ostraka.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The process of one contender. It reads commands as lines from standard input, and writes answers to standard output.
 * On command, it schedules the jobs, records the time at which the code of each item begins, and counts runs. It also
 * reports when every job has run for the first time.
 */
public final class ContenderProcess implements Contender.Work {
    private static final long NANOS_A_MILLI = 1_000_000;
    private static final long GLANCE_MILLIS = 20;
    /**
     * Number of checks for input between two checks of the parent process. The cost of all these checks is negligible.
     */
    private static final int GLANCES_AT_BENCH = 100;

    private final PrintStream out;
    private final Contender contender;
    private final UniformLoad load;
    private final long workMillis;
    private final LongAdder runs = new LongAdder();
    private final Map<String, Boolean> ran = new ConcurrentHashMap<>();
    private final Queue<String> noted = new ConcurrentLinkedQueue<>();
    private volatile long begun;
    private volatile boolean notes;

    private ContenderProcess(PrintStream out, Contender contender, UniformLoad load, long workMillis) {
        this.out = out;
        this.contender = contender;
        this.load = load;
        this.workMillis = workMillis;
    }

    /**
     * Runs the process. The arguments are the contender's class, the duration of a run's work in milliseconds, and the
     * arguments of {@link UniformLoad#parse}.
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // the scheduler's output must not mix with answers
        Contender contender =
                (Contender) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        UniformLoad load = UniformLoad.parse(Arrays.asList(arguments).subList(2, arguments.length));
        new ContenderProcess(out, contender, load, Long.parseLong(arguments[1])).serve();
        Runtime.getRuntime().halt(0);
    }

    @Override
    public void run(Contender.ItemRun run) {
        String job = run.job();
        if (notes) {
            noted.add(job + ":" + run.item() + ":" + ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
        }
        if (ran.size() < load.jobs() && ran.putIfAbsent(job, true) == null && ran.size() == load.jobs()) {
            out.println("started " + sinceBegun());
        }
        if (workMillis > 0) {
            try {
                Thread.sleep(workMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        runs.increment();
    }

    private void serve() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ProcessHandle bench = ProcessHandle.current().parent().orElseThrow();
        out.println("ready");
        while (isAsked(in, bench)) {
            String asked = in.readLine();
            String[] words = asked.split(" ");
            switch (words[0]) {
                case "begin" -> {
                    begun = System.nanoTime();
                    contender.schedule(load.load(), this);
                    out.println("scheduled " + sinceBegun());
                }
                case "trigger" -> contender.trigger(Contender.name(0));
                case "runs" -> out.println("runs " + runs);
                case "threads" ->
                    out.println("threads " + Thread.getAllStackTraces().size());
                case "heap" -> out.println("heap " + heap());
                case "come-and-go" -> {
                    contender.comeAndGo(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    out.println("come-and-go 0");
                }
                case "purge" -> {
                    contender.purge(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    out.println("purge 0");
                }
                case "note" -> {
                    noted.clear();
                    notes = true;
                    out.println("note 0");
                }
                case "noted-so-far" -> out.println("noted-so-far " + String.join(" ", noted));
                case "noted" -> {
                    notes = false;
                    out.println("noted " + String.join(" ", noted));
                    noted.clear();
                }
                case "quit" -> {
                    contender.close();
                    return;
                }
                default -> throw new IOException("unknown command: " + asked);
            }
        }
    }

    /**
     * Waits for a command. Returns false if the parent process has ended. This method polls, because a JVM that exits
     * while a thread blocks in a read waits 300 ms for it (HotSpot's VM_Exit), and this time would be attributed to the
     * scheduler.
     */
    private static boolean isAsked(BufferedReader in, ProcessHandle bench) throws IOException, InterruptedException {
        for (int glance = 1; !in.ready(); glance++) {
            if (glance % GLANCES_AT_BENCH == 0 && !bench.isAlive()) {
                return false;
            }
            Thread.sleep(GLANCE_MILLIS);
        }
        return true;
    }

    /**
     * Returns the number of heap bytes in use. Runs the garbage collection twice, because an object that the first
     * collection finds unreachable may keep other objects alive until the second one.
     */
    private static long heap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private long sinceBegun() {
        return (System.nanoTime() - begun) / NANOS_A_MILLI;
    }
}
