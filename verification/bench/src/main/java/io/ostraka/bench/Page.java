package io.ostraka.bench;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * The report as one self-contained HTML page with conditions, figures and bounds. If a figure was measured in three or
 * more sizes, the page also has a plot of it with logarithmic axes. The browser draws the plots with uPlot, which is
 * copied into the page.
 */
final class Page {
    private static final String LIBRARY = "META-INF/resources/webjars/uplot/";
    private static final String VERSION = "META-INF/maven/org.webjars.npm/uplot/pom.properties";

    private final String about;
    private final List<Outcome> outcomes;

    /**
     * Creates a page of outcomes.
     *
     * @param about description of the kind of run
     */
    Page(String about, List<Outcome> outcomes) {
        this.about = about;
        this.outcomes = outcomes;
    }

    String html() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = open(VERSION)) {
            properties.load(in);
        }
        String library = LIBRARY + properties.getProperty("version") + "/";
        List<Bound> bounds =
                outcomes.stream().flatMap(outcome -> outcome.bounds().stream()).toList();
        return text("io/ostraka/bench/page.html")
                .replace("{{style}}", text(library + "dist/uPlot.min.css"))
                .replace("{{licence}}", text(library + "LICENSE").strip())
                .replace("{{library}}", text(library + "dist/uPlot.iife.min.js"))
                .replace("{{about}}", escaped(about))
                .replace("{{conditions}}", conditions())
                .replace("{{reached}}", reached(bounds))
                .replace("{{bounds}}", table(Table.ofBounds(bounds)))
                .replace("{{sections}}", outcomes.stream().map(this::section).collect(Collectors.joining()))
                .replace("{{plots}}", plots());
    }

    private String conditions() {
        return outcomes.stream()
                .map(outcome -> outcome.at() + ": " + outcome.conditions())
                .distinct()
                .map(line -> "<li>" + escaped(line) + "</li>\n")
                .collect(Collectors.joining());
    }

    private static String reached(List<Bound> bounds) {
        long reached = bounds.stream()
                .filter(bound -> bound.verdict() == Bound.Verdict.REACHED)
                .count();
        return reached + " of " + bounds.size();
    }

    private String section(Outcome outcome) {
        return "<section id=\"s" + outcomes.indexOf(outcome) + "\">\n<h2>" + escaped(outcome.title()) + "</h2>\n"
                + "<p class=\"at\">" + escaped(outcome.at()) + "</p>\n<div class=\"plots\"></div>\n"
                + Table.ofAll(List.of(outcome)).stream().map(Page::table).collect(Collectors.joining())
                + "</section>\n";
    }

    /**
     * Returns the plots of each section as JSON for the page's script. NaN values become null, because JSON has no NaN.
     */
    private String plots() {
        return new GsonBuilder()
                .registerTypeAdapter(Double.class, (JsonSerializer<Double>)
                        (value, type, context) -> value.isNaN() ? JsonNull.INSTANCE : new JsonPrimitive(value))
                .serializeNulls()
                .create()
                .toJson(outcomes.stream()
                        .map(outcome -> Plot.of(outcome.results()))
                        .toList());
    }

    private static String table(Table table) {
        StringBuilder html = new StringBuilder("<div class=\"wide\"><table>\n<tr>");
        table.head().forEach(cell -> html.append("<th>").append(escaped(cell)).append("</th>"));
        html.append("</tr>\n");
        for (List<String> line : table.lines()) {
            String last = line.get(line.size() - 1);
            html.append(
                    switch (last) {
                        case "NO" -> "<tr class=\"missed\">";
                        case "not measured" -> "<tr class=\"none\">";
                        default -> "<tr>";
                    });
            line.forEach(cell -> html.append("<td>").append(escaped(cell)).append("</td>"));
            html.append("</tr>\n");
        }
        return html.append("</table></div>\n").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = open(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static InputStream open(String resource) throws IOException {
        InputStream in = Page.class.getClassLoader().getResourceAsStream(resource);
        if (in == null) {
            throw new IOException("not on the class path: " + resource);
        }
        return in;
    }
}
