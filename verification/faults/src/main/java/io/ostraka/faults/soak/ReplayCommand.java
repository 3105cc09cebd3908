package io.ostraka.faults.soak;

import io.ostraka.faults.command.Command;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs the soak of a seed again, prints its progress and keeps all files. The faults and their times are the same as
 * before, but real processes do not behave the same twice.
 */
public final class ReplayCommand implements Command {
    private static final Set<String> OPTIONS = Set.of("--seed", "--minutes", Part.HISTORY);
    private static final String MINUTES = "10";

    @Override
    public String usage() {
        return "--seed S [--minutes N] [--history yes]   repeats the soak of a seed (" + MINUTES
                + " minutes by default; use the time of the first soak), and keeps all files";
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        Map<String, String> options = Part.options(arguments, OPTIONS);
        long seed = Part.seed(options.getOrDefault("--seed", ""));
        double minutes = Part.minutes(options.getOrDefault("--minutes", MINUTES));
        Part part = new Part(seed, minutes, Path.of("target/soak/replay-" + seed), Part.history(options));
        part.plan().faults().forEach(fault -> out.println("planned: " + fault));
        try {
            SoakResult result =
                    part.run(line -> out.println(LocalTime.now().truncatedTo(ChronoUnit.MILLIS) + " " + line));
            result.write(part.directory().resolve("soak.json"));
            Report.write(result, part.directory().resolve("soak.html"));
            Part.tell(result, out);
            out.println("report and history are kept in " + part.directory().toAbsolutePath());
            out.println(result.figure());
            return result.held();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }
}
