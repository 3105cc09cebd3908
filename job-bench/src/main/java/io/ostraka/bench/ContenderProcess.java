package io.ostraka.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The process of one contender: schedules the jobs when it is told to begin, says when each has run, and counts. What it
 * is asked comes line by line on standard input, what it answers goes to standard output.
 */
public final class ContenderProcess {
    private static final long NANOS_A_MILLI = 1_000_000;

    private ContenderProcess() {}

    /** Arguments: the contender's class, servers, namespace, jobs, items, cron expression. */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // whatever a scheduler prints is no answer
        int jobs = Integer.parseInt(arguments[3]);
        int items = Integer.parseInt(arguments[4]);
        Contender contender =
                (Contender) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        out.println("ready");
        in.readLine();

        long begun = System.nanoTime();
        Map<String, Boolean> ran = new ConcurrentHashMap<>();
        AtomicLong runs = new AtomicLong();
        Contender.Work work = job -> {
            runs.incrementAndGet();
            if (ran.putIfAbsent(job, true) == null && ran.size() == jobs) {
                out.println("started " + (System.nanoTime() - begun) / NANOS_A_MILLI);
            }
        };
        contender.schedule(arguments[1], arguments[2], jobs, items, arguments[5], work);
        out.println("scheduled " + (System.nanoTime() - begun) / NANOS_A_MILLI);
        serve(in, out, runs);
        Runtime.getRuntime().halt(0); // nobody measures its end
    }

    private static void serve(BufferedReader in, PrintStream out, AtomicLong runs) throws IOException {
        for (String asked = in.readLine(); asked != null; asked = in.readLine()) {
            if (asked.equals("runs")) {
                out.println("runs " + runs.get());
            } else if (asked.equals("threads")) {
                out.println("threads " + Thread.getAllStackTraces().size());
            } else {
                return;
            }
        }
    }
}
