package io.ostraka.faults.soak;

import io.ostraka.faults.command.Command;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs a soak for each of several seeds, one after the other, and reports the sum of the results. */
public final class SoakCommand implements Command {
    private static final Set<String> OPTIONS = Set.of("--minutes", "--seed", "--resume", Part.HISTORY);
    private static final String DIRECTORY = "target/soak";
    /** Time that the soak of one seed takes. */
    private static final double PART_MINUTES = 10;

    @Override
    public String usage() {
        return "--minutes N --seed S [--resume DIR] [--history yes]   soaks for N minutes: seeds from S on, ten minutes\n"
                + "      each; results in DIR of exactly the same commit are reused. The report goes to DIR, or "
                + DIRECTORY + ".\n      With --history yes, the workers write a history to PostgreSQL, which has faults"
                + " of its own";
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        Map<String, String> options = Part.options(arguments, OPTIONS);
        double minutes = Part.minutes(options.getOrDefault("--minutes", ""));
        long first = Part.seed(options.getOrDefault("--seed", ""));
        boolean resumes = options.containsKey("--resume");
        boolean history = Part.history(options);
        Path directory = Path.of(options.getOrDefault("--resume", DIRECTORY + (history ? "-history" : "")));
        try {
            Files.createDirectories(directory);
            List<SoakResult> results = new ArrayList<>();
            for (Part part : parts(minutes, first, directory, history)) {
                results.add(run(part, resumes, out));
            }
            SoakResult all = SoakResult.sum(results);
            all.write(directory.resolve("soak.json"));
            Report.write(all, directory.resolve("soak.html"));
            out.println("report: " + directory.resolve("soak.html"));
            out.println(all.figure());
            return all.held();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Divides the total time into soaks of one seed each. None of them is shorter than the minimum. */
    static List<Part> parts(double minutes, long first, Path directory, boolean history) {
        List<Part> parts = new ArrayList<>();
        double left = minutes;
        for (long seed = first; left > 0; seed++) {
            double part = left < PART_MINUTES + Part.FEWEST_MINUTES ? left : PART_MINUTES;
            parts.add(new Part(seed, part, directory.resolve("seed-" + seed), history));
            left -= part;
        }
        return parts;
    }

    /** Returns whether an earlier result of this build covers the part, so that it need not run again. */
    static boolean serves(SoakResult known, String build, Part part) {
        return Soak.isKnown(build)
                && known.build().equals(build)
                && known.seeds().equals(List.of(part.seed()))
                && known.minutes() >= part.minutes();
    }

    private static SoakResult run(Part part, boolean resumes, PrintStream out)
            throws IOException, InterruptedException {
        Path file = part.directory().resolveSibling("seed-" + part.seed() + ".json");
        if (resumes && Files.exists(file)) {
            SoakResult known = SoakResult.read(file);
            if (serves(known, Soak.build(), part)) {
                out.println("seed " + part.seed() + ", earlier result: " + known.figure());
                return known;
            }
        }
        out.println("seed " + part.seed() + ": " + part.plan().faults().size() + " faults planned, "
                + Math.round(part.minutes()) + " minutes");
        SoakResult result = part.run(line -> {});
        result.write(file);
        out.println("seed " + part.seed() + ": " + result.figure());
        if (part.history()) {
            out.println("seed " + part.seed() + ", history: " + result.history());
        }
        if (result.held()) {
            part.delete();
        } else {
            Part.tell(result, out);
            out.println("files are kept in " + part.directory().toAbsolutePath());
        }
        return result;
    }
}
