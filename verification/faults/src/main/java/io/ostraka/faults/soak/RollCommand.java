package io.ostraka.faults.soak;

import io.ostraka.faults.command.Command;
import io.ostraka.faults.history.HistoryChecker;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Updates three workers on a real ensemble from another build to this build and back, one worker at a time. Meanwhile,
 * schedules and triggers start the workers' jobs. At the end, the command checks that no fire was lost or ran twice.
 */
public final class RollCommand implements Command {
    private static final Set<String> OPTIONS = Set.of("--other", "--keep");
    private static final Path DIRECTORY = Path.of("target/roll");
    private static final int WORKERS = 3;
    /** Time between two replacements, enough for a few fires with each combination of builds. */
    private static final Duration APART = Duration.ofSeconds(4);
    /** Time between the end of a worker and the start of its replacement. */
    private static final Duration GAP = Duration.ofMillis(500);

    private static final int FEWEST_RUNS = 1_000;

    @Override
    public String usage() {
        return "[REVISION]   rolls three workers from a revision, HEAD~1 by default, to this one and back";
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        Map<String, String> options = Part.options(arguments, OPTIONS);
        String other = options.get("--other");
        if (other == null) {
            throw new IllegalArgumentException("--other is required: the class path of the other build");
        }
        try {
            return roll(other, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static boolean roll(String other, PrintStream out) throws IOException, InterruptedException {
        Part part = new Part(0, 0, DIRECTORY);
        part.delete();
        Files.createDirectories(DIRECTORY);
        String own = System.getProperty("java.class.path");
        FaultPlan plan = plan();
        Soak.Recording recording =
                Soak.run(plan, DIRECTORY, out::println, name -> generation(name) % 2 == 0 ? other : own);
        HistoryChecker.Verdict verdict = recording.verdict();
        FireCounts tally = FireCounts.of(recording.history());
        out.printf(
                "rolled %d workers forward and back: %d runs of %d fires due, %d violations%n",
                WORKERS,
                tally.all().runs(),
                tally.all().due(),
                verdict.number().values().stream().mapToLong(Long::longValue).sum());
        verdict.told().forEach(violation -> {
            out.println(violation.invariant() + ": " + violation.what());
            EventText.of(violation).forEach(line -> out.println("    " + line));
        });
        recording.missed().forEach(fault -> out.println("not replaced: " + fault));
        boolean held = verdict.number().isEmpty()
                && recording.missed().isEmpty()
                && tally.all().runs() >= FEWEST_RUNS;
        if (held) {
            part.delete();
        } else {
            out.println("files are kept in " + DIRECTORY.toAbsolutePath());
        }
        return held;
    }

    /**
     * Returns how many workers this worker has replaced, one after the other. If the number is even, the worker runs
     * the other build; if it is odd, this build.
     */
    private static int generation(String worker) {
        return Integer.parseInt(worker.substring(worker.lastIndexOf('-') + 1));
    }

    /** Returns a plan that replaces each worker twice, and triggers jobs with each combination of builds. */
    static FaultPlan plan() {
        List<Fault> faults = new ArrayList<>();
        Duration at = APART;
        for (int i = 0; i < 2 * WORKERS; i++) {
            faults.add(new Fault(faults.size(), Fault.Kind.WORKER_REPLACED, at, at.plus(GAP), i % WORKERS, 0));
            Duration then = at.plus(APART.dividedBy(2));
            for (int job : List.of(FaultPlan.ONCE, FaultPlan.PARKED)) {
                faults.add(new Fault(faults.size(), Fault.Kind.TRIGGERED, then, then.plusMillis(1), job, 0));
            }
            at = at.plus(APART);
        }
        return new FaultPlan(0, at, WORKERS, faults);
    }
}
