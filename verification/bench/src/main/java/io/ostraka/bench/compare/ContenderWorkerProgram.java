package io.ostraka.bench.compare;

import io.ostraka.bench.Contender;
import io.ostraka.fixtures.process.ParentCommands;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The process of one worker of a contender. The worker joins and leaves the cluster on command. */
public final class ContenderWorkerProgram {
    /** Length of each part of an item's work. */
    private static final int STEP_MILLIS = 100;

    private final PrintStream out;
    private final Contender contender;
    private final String worker;
    private final int ledger;
    private final String servers;
    private final String namespace;
    private final Duration session;
    private final List<RecurringJob> jobs;
    private boolean joined;

    private ContenderWorkerProgram(PrintStream out, Contender contender, List<String> arguments) {
        this.out = out;
        this.contender = contender;
        worker = arguments.get(0);
        ledger = Integer.parseInt(arguments.get(1));
        servers = arguments.get(2);
        namespace = arguments.get(3);
        session = Duration.parse(arguments.get(4));
        jobs = arguments.subList(5, arguments.size()).stream()
                .map(RecurringJob::parse)
                .toList();
    }

    /**
     * Runs a worker. The arguments are the contender's class, the worker's name, the ledger's port, servers, namespace,
     * session timeout and jobs.
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // the scheduler's output must not mix with answers
        Contender contender =
                (Contender) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        List<String> others = Arrays.asList(arguments).subList(1, arguments.length);
        ContenderWorkerProgram program = new ContenderWorkerProgram(out, contender, others);
        out.println(ContenderWorker.READY);
        ParentCommands.follow(program::obey);
    }

    private void obey(String order) {
        try {
            if (order.equals(ContenderWorker.JOIN)) {
                List<Contender.Job> all =
                        jobs.stream().map(RecurringJob::scheduled).toList();
                contender.schedule(new Contender.Load(servers, namespace, session, all, 1), this::work);
                joined = true;
                out.println(ContenderWorker.JOINED);
            } else if (joined) {
                contender.leave();
                Runtime.getRuntime().halt(0); // the duration of the exit is not measured
            }
        } catch (Exception e) {
            throw new IllegalStateException(worker + " could not " + order, e);
        }
    }

    private void work(Contender.ItemRun run) throws IOException, InterruptedException {
        RecurringJob job = jobs.stream()
                .filter(known -> known.name().equals(run.job()))
                .findFirst()
                .orElseThrow();
        long fire = run.fire() == 0 ? job.fireAt(System.currentTimeMillis()) : run.fire();
        try (Journal journal = new Journal(ledger, worker, run, fire)) {
            boolean accepted = journal.tell(Entry.Kind.START);
            for (int left = job.itemMillis(); accepted && left > 0; left -= STEP_MILLIS) {
                try {
                    Thread.sleep(Math.min(STEP_MILLIS, left));
                } catch (InterruptedException e) {
                    journal.tell(Entry.Kind.CANCELLED);
                    throw e;
                }
                accepted = journal.tell(Entry.Kind.EFFECT);
            }
            if (!accepted) {
                throw new IllegalStateException(
                        "item " + run.item() + " of " + run.job() + " now belongs to another run");
            }
            journal.tell(Entry.Kind.END);
        }
    }
}
