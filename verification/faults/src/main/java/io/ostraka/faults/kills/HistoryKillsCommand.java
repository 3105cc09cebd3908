package io.ostraka.faults.kills;

import io.ostraka.faults.command.Command;
import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Kills workers between the completion of a run and the insert of its row, and prints which rows are missing. */
public final class HistoryKillsCommand implements Command {
    private static final int KILLS = 100;
    private static final int PROGRESS = 10;
    private static final Path DIRECTORY = Path.of("target/history-kills");

    @Override
    public String usage() {
        return "[--kills N] [--delete-spool] [--back-to-back] [--seed S]   kills a worker N times (" + KILLS
                + " by default)\n      shortly after a run, with the spools kept or deleted, and compares the rows with"
                + " ZooKeeper's logs";
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        HistoryKills.Options options = options(arguments);
        if (!PostgreSqlServer.isInstalled()) {
            throw new IllegalArgumentException(PostgreSqlServer.NOT_INSTALLED);
        }
        try {
            delete();
            try (var kills = new HistoryKills(options, DIRECTORY)) {
                HistoryKills.Result result = kills.run(line -> {
                    if (Integer.parseInt(line.split(" ")[1]) % PROGRESS == 0) {
                        out.println(line);
                    }
                });
                print(options, result, out);
                return result.held();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("the history could not be read", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    static HistoryKills.Options options(List<String> arguments) {
        int kills = KILLS;
        boolean deletesSpool = false;
        boolean backToBack = false;
        long seed = 1;
        for (Iterator<String> each = arguments.iterator(); each.hasNext(); ) {
            String argument = each.next();
            switch (argument) {
                case "--delete-spool" -> deletesSpool = true;
                case "--back-to-back" -> backToBack = true;
                case "--kills" -> kills = Math.toIntExact(number(argument, each));
                case "--seed" -> seed = number(argument, each);
                default -> throw new IllegalArgumentException("unknown option: " + argument);
            }
        }
        return new HistoryKills.Options(kills, deletesSpool, backToBack, seed);
    }

    private static long number(String option, Iterator<String> values) {
        String value = values.hasNext() ? values.next() : "";
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " '" + value + "' is not a whole number", e);
        }
    }

    private static void print(HistoryKills.Options options, HistoryKills.Result result, PrintStream out) {
        result.compared().violations().forEach(out::println);
        result.unexplained().forEach(out::println);
        result.compared().missing().forEach(claim -> out.println("no row: " + claim));
        result.unknown().forEach(entry -> out.println("unknown: " + entry));
        result.absent().forEach(claim -> out.println("silently absent: " + claim));
        out.printf(
                "history-kills: %d kills, spools %s, %d claims decided, %d rows, %d missing %s, %d unknown parts of the"
                        + " account, %d silently absent, %d unexplained, %d violations%n",
                options.kills(),
                options.deletesSpool() ? "deleted" : "kept",
                result.compared().claims(),
                result.compared().rows(),
                result.compared().missing().size(),
                result.compared().missingByDecision(),
                result.unknown().size(),
                result.absent().size(),
                result.unexplained().size(),
                result.compared().violations().size());
    }

    private static void delete() throws IOException {
        if (Files.exists(DIRECTORY)) {
            try (Stream<Path> all = Files.walk(DIRECTORY)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
