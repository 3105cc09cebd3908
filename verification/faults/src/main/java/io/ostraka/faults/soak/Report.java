package io.ostraka.faults.soak;

import io.ostraka.faults.worker.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The result of a soak as a self-contained page, which needs no script, no other file and no network. */
final class Report {
    private static final String STYLE =
            """
            body { font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222 }
            h1 { font-size: 1.6em; margin-bottom: .2em } h2 { font-size: 1.15em; margin-top: 2.2em }
            table { border-collapse: collapse; margin: .6em 0 } caption { text-align: left; color: #555; padding-bottom: .3em }
            td, th { padding: .2em 1.2em .2em 0; text-align: left; border-bottom: 1px solid #ddd; vertical-align: top }
            td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
            figure { margin: 1.2em 0 } figcaption { color: #333 }
            .held { color: #17692d } .broken { color: #b3261e } .quiet { color: #666 }
            pre { font-size: 12px; line-height: 1.45; background: #f6f6f4; padding: .8em; overflow-x: auto; white-space: pre-wrap;
              overflow-wrap: anywhere }
            summary { cursor: pointer }
            """;

    /** Maximum number of listed recoveries that exceed the same bound. */
    private static final int MOST = 20;

    private final StringBuilder page = new StringBuilder();

    private Report() {}

    /** Writes the page. */
    static void write(SoakResult result, Path file) throws IOException {
        Files.writeString(file, of(result));
    }

    static String of(SoakResult result) {
        var report = new Report();
        report.page(result);
        return report.page.toString();
    }

    private void page(SoakResult result) {
        page.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>Ostraka: soak</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n");
        boolean held = result.held();
        page.append("<h1>Soak of Ostraka: <span class=\"")
                .append(held ? "held\">all held" : "broken\">not all held")
                .append("</span></h1>\n");
        paragraph(result.figure());
        paragraph("Build " + result.build() + ". " + result.machine() + ". Three ZooKeeper servers and at least "
                + result.workers() + " workers, a process each; session timeout "
                + Recoveries.SESSION_TIMEOUT.toSeconds() + " s. Seeds: "
                + result.seeds().stream().map(String::valueOf).collect(Collectors.joining(", ")) + ".");
        if (!result.lacking().isEmpty()) {
            heading("Too few faults or runs");
            trail(result.lacking());
        }
        violations(result);
        bounds(result.bounds());
        fires(result.tally());
        heading("Faults");
        counts("kind", result.faults());
        if (!result.missed().isEmpty()) {
            paragraph("These faults found no target and do not count:");
            counts("kind", result.missed());
        }
        if (!result.history().isEmpty()) {
            heading("History in the database");
            counts("what", result.history());
        }
        heading("Time to recover");
        result.times().forEach((sort, times) -> page.append(Plot.of(sort, times)));
        result.slowest().forEach(this::slowest);
        page.append("</body>\n</html>\n");
    }

    private void violations(SoakResult result) {
        heading("Violations");
        if (result.numberOfViolations() == 0) {
            paragraph("None of I1 to I8. None of the promises to listeners.");
        } else {
            paragraph("The first violation of each invariant. Numbers of violations: "
                    + result.violations().entrySet().stream()
                            .map(each -> each.getKey() + " " + grouped(each.getValue()))
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        for (SoakResult.Breach breach : result.breaches()) {
            page.append("<p class=\"broken\">")
                    .append(breach.invariant())
                    .append(", seed ")
                    .append(breach.seed());
            page.append(": ").append(escaped(breach.what())).append("</p>\n");
            trail(breach.trail());
        }
    }

    private void bounds(List<Bound> bounds) {
        heading("Bounds");
        paragraph(
                "Obstacles of an item are faults of the servers, and of the workers on which it depended: its owner, the"
                        + " leaders, and all to which it was assigned. At least one bound applies to each interruption.");
        page.append("<table><tr><th>what</th><th class=\"n\">limit</th><th class=\"n\">judged</th>")
                .append("<th class=\"n\">slowest</th><th class=\"n\">beyond</th></tr>\n");
        for (Bound bound : bounds) {
            row(
                    bound.name(),
                    bound.limitMillis() + " ms",
                    Long.toString(bound.judged()),
                    bound.worstMillis() + " ms",
                    Integer.toString(bound.broken().size()));
        }
        page.append("</table>\n");
        for (Bound bound : bounds) {
            List<String> broken = bound.broken();
            trail(
                    broken.size() <= MOST
                            ? broken
                            : Stream.concat(
                                            broken.stream().limit(MOST),
                                            Stream.of("and " + (broken.size() - MOST) + " more"))
                                    .toList());
        }
    }

    private void fires(FireCounts tally) {
        heading("Fires");
        paragraph(
                "One for each item of a job. A due fire runs or is skipped for a reason, by the policies of the job.");
        page.append("<table><tr><th>job</th><th>misfire, overlap, failover</th><th class=\"n\">due</th>")
                .append(
                        "<th class=\"n\">runs</th><th class=\"n\">failed over</th><th class=\"n\">tried again</th><th>skipped</th><th>ended</th></tr>\n");
        tally.jobs().forEach((job, fires) -> fires(job, policies(job), fires));
        fires("all", "", tally.all());
        page.append("</table>\n<table>\n");
        number("asked for by hand", tally.asked());
        number("writes to the resource", tally.effects());
        number("late writes refused", tally.refused());
        number("runs fenced by that", tally.fenced());
        number("calls of once-listeners inside of which their worker was killed", tally.cut());
        number("ZooKeeper's transactions", tally.transactions());
        page.append("</table>\n");
    }

    private void fires(String job, String policies, FireCounts.Fires fires) {
        page.append("<tr><td>")
                .append(escaped(job))
                .append("</td><td class=\"quiet\">")
                .append(escaped(policies));
        for (long number : new long[] {fires.due(), fires.runs(), fires.failedOver(), fires.retried()}) {
            page.append("</td><td class=\"n\">").append(grouped(number));
        }
        page.append("</td><td>").append(words(fires.skipped()));
        page.append("</td><td>").append(words(fires.outcomes())).append("</td></tr>\n");
    }

    private static String policies(String name) {
        return Workload.jobs().stream()
                .filter(job -> job.jobName().equals(name))
                .map(job -> job.misfire() + ", " + job.overlap() + ", " + (job.failover() ? "on" : "off"))
                .map(text -> text.replace("[]", ""))
                .findFirst()
                .orElse("");
    }

    private static String words(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey().toLowerCase(Locale.ROOT).replace('_', ' ') + "&nbsp;"
                        + grouped(entry.getValue()))
                .collect(Collectors.joining("<br>"));
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private void slowest(String sort, List<Recovery> slowest) {
        if (slowest.isEmpty()) {
            return;
        }
        heading("Slowest " + sort);
        paragraph("Each list of events ends with the faults of that time.");
        for (Recovery each : slowest) {
            String after = each.afterExpiryMillis() == null
                    ? ""
                    : ", " + each.afterExpiryMillis() + " ms after the servers had ended the session";
            page.append("<details><summary>")
                    .append(escaped(each.of() + ": " + each.millis() + " ms after " + each.cause() + after
                            + (each.undisturbed() ? ", nothing in its way" : "")))
                    .append("</summary>\n");
            trail(each.trail());
            page.append("</details>\n");
        }
    }

    private void counts(String what, Map<String, Long> counts) {
        page.append("<table><tr><th>").append(what).append("</th><th class=\"n\">number</th></tr>\n");
        counts.forEach(this::number);
        page.append("</table>\n");
    }

    private void number(String what, long number) {
        row(what, grouped(number));
    }

    private void row(String first, String... numbers) {
        page.append("<tr><td>").append(escaped(first)).append("</td>");
        for (String number : numbers) {
            page.append("<td class=\"n\">").append(number).append("</td>");
        }
        page.append("</tr>\n");
    }

    private void heading(String text) {
        page.append("<h2>").append(escaped(text)).append("</h2>\n");
    }

    private void paragraph(String text) {
        page.append("<p>").append(escaped(text)).append("</p>\n");
    }

    private void trail(List<String> lines) {
        if (!lines.isEmpty()) {
            page.append("<pre>").append(escaped(String.join("\n", lines))).append("</pre>\n");
        }
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
