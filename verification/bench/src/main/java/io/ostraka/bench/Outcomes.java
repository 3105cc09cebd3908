package io.ostraka.bench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stores the latest outcome of each scenario in a directory, and writes a report about all of them. */
final class Outcomes {
    private static final Gson GSON =
            new GsonBuilder().serializeSpecialFloatingPointValues().create();

    private final Path directory;

    /**
     * Creates the store for a directory. Runs of different sizes use different directories, so a report never mixes
     * their figures.
     *
     * @param directory the directory; it need not exist
     */
    Outcomes(Path directory) {
        this.directory = directory;
    }

    /** Replaces earlier outcomes of the same scenarios, and returns the path of the page. */
    Path add(List<Outcome> outcomes, String about) throws IOException {
        Files.createDirectories(directory);
        Path kept = directory.resolve("outcomes.jsonl");
        Map<String, Outcome> latest = new LinkedHashMap<>();
        if (Files.exists(kept)) {
            for (String line : Files.readAllLines(kept)) {
                put(latest, GSON.fromJson(line, Outcome.class));
            }
        }
        outcomes.forEach(outcome -> put(latest, outcome));
        List<Outcome> all = List.copyOf(latest.values());
        Files.write(kept, all.stream().map(GSON::toJson).toList());
        Files.write(directory.resolve("report.md"), markdown(all));
        Path page = directory.resolve("report.html");
        Files.writeString(page, new Page(about, all).html());
        return page;
    }

    private static void put(Map<String, Outcome> latest, Outcome outcome) {
        latest.put(outcome.title(), outcome);
    }

    private static List<String> markdown(List<Outcome> all) {
        List<String> lines = new ArrayList<>();
        for (Table table : Table.ofAll(all)) {
            lines.addAll(table.markdown());
            lines.add("");
        }
        lines.addAll(Table.ofBounds(all.stream()
                        .flatMap(outcome -> outcome.bounds().stream())
                        .toList())
                .markdown());
        return lines;
    }
}
