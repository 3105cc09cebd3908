package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Problem.Level;
import io.ostraka.cli.terminal.Palette;
import io.ostraka.cli.terminal.Shell;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes problems for people, each action as a command line that a person can copy.
 *
 * @param call the verb that shows the problems
 * @param times writes the times
 */
record Problems(Invocation call, Times times) {
    /** Reads the problems of some jobs, or of the whole namespace. */
    static Answer<Answers.Problems> read(Invocation call, String... jobs) {
        Client.Parameter[] query =
                Arrays.stream(jobs).map(job -> new Client.Parameter("job", job)).toArray(Client.Parameter[]::new);
        return call.client().get(Answers.Problems.class, call.path("problems"), query);
    }

    static boolean isNote(Answers.Problem problem) {
        return problem.level().equals(Level.NOTE.name());
    }

    /** Prints the problems, and the notes below them. */
    void print(List<Answers.Problem> problems) {
        List<Answers.Problem> urgent =
                problems.stream().filter(each -> !isNote(each)).toList();
        List<Answers.Problem> notes = problems.stream().filter(Problems::isNote).toList();
        print(urgent.isEmpty() ? "Nothing needs you now." : "What is wrong, and what to do:", urgent);
        if (!notes.isEmpty()) {
            print("Good to know:", notes);
        }
    }

    private void print(String title, List<Answers.Problem> problems) {
        Terminal terminal = call.terminal();
        terminal.out().println();
        terminal.out().println(title);
        problems.forEach(each -> lines(each).forEach(terminal.out()::println));
    }

    /** Returns the lines as they are printed, with colours. */
    List<String> lines(Answers.Problem problem) {
        Palette palette = call.output().palette();
        List<String> lines = new ArrayList<>();
        String subject = problem.job() == null ? "" : problem.job() + ": ";
        String first = (isNote(problem) ? "- " : "! ") + subject + times.local(problem.text());
        lines.add(problem.level().equals(Level.ERROR.name()) ? palette.bad(first) : palette.plain(first));
        details(problem).forEach(each -> lines.add(palette.plain("    " + each)));
        remedies(problem)
                .forEach((text, line) -> lines.add(
                        palette.plain("    > " + text) + (line.isEmpty() ? "" : ":  " + palette.command(line))));
        return lines;
    }

    /** Returns the details of a problem, with its beginning and the instances that report it. */
    List<String> details(Answers.Problem problem) {
        List<String> details = new ArrayList<>(problem.details());
        String instances = problem.job() == null ? "" : String.join(", ", problem.instances());
        String alarms = String.join(", ", problem.alarms());
        String since = problem.since();
        boolean told = since == null || (alarms.isEmpty() && details.stream().anyMatch(each -> each.contains(since)));
        if (!told) {
            details.add(
                    0,
                    "since " + since + (instances.isEmpty() ? "" : ", reported by " + instances)
                            + (alarms.isEmpty() ? "" : ", alarm " + alarms));
        }
        return details.stream().map(times::local).toList();
    }

    /** Returns the actions with their command lines. Commands that differ only in a repeatable value are one line. */
    Map<String, String> remedies(Answers.Problem problem) {
        Map<String, List<Answers.Remedy>> byText = new LinkedHashMap<>();
        problem.remedies().forEach(each -> byText.computeIfAbsent(each.text(), text -> new ArrayList<>())
                .add(each));
        Map<String, String> remedies = new LinkedHashMap<>();
        byText.forEach((text, same) -> remedies.put(text, line(problem, same)));
        return remedies;
    }

    private String line(Answers.Problem problem, List<Answers.Remedy> remedies) {
        Answers.Remedy first = remedies.get(0);
        Verb verb = call.verbs().stream()
                .filter(each ->
                        each.operation() != null && each.operation().name().equals(first.operation()))
                .findFirst()
                .orElse(null);
        if (verb == null) {
            return ""; // no operation, or one of a later version
        }
        List<String> positions = new ArrayList<>();
        List<String> options = new ArrayList<>();
        if (first.command() != null) {
            List<JsonObject> commands = remedies.stream()
                    .map(Answers.Remedy::command)
                    .filter(Objects::nonNull)
                    .toList();
            verb.parameters().forEach(each -> (each.isOption() ? options : positions).addAll(words(each, commands)));
            if (verb.isLasting()) {
                options.addAll(List.of(Invocation.REASON, "TEXT"));
            }
        } else {
            if (verb.parameters().stream().anyMatch(each -> each.member().equals(Parameter.JOB))) {
                positions.add(String.valueOf(problem.job()));
            }
            if (verb.operation() == Operation.ITEMS) {
                positions.addAll(problem.items());
            } else if (verb.operation() == Operation.JOBS) {
                options.add("--problems");
            } else if (verb.operation() == Operation.INSTANCES) {
                options.addAll(List.of("-o", "wide"));
            }
        }
        return call.session().command(verb.path(), positions, options);
    }

    /** Returns the words of a parameter with the values in the commands, of which all but a repeatable one agree. */
    private static List<String> words(Parameter parameter, List<JsonObject> commands) {
        List<String> words = new ArrayList<>();
        int read = parameter.kind() == Kind.EACH ? commands.size() : 1;
        for (JsonObject command : commands.subList(0, read)) {
            for (String value : values(command.get(parameter.member()))) {
                if (parameter.kind().isFlag()) {
                    boolean given = value.equals(String.valueOf(parameter.kind() == Kind.ON));
                    words.addAll(given ? List.of(parameter.name()) : List.of());
                } else {
                    words.addAll(parameter.isOption() ? Shell.option(parameter.name(), value) : List.of(value));
                }
            }
        }
        return words.stream().distinct().toList();
    }

    private static List<String> values(JsonElement json) {
        if (json instanceof JsonArray array) {
            return array.asList().stream().map(JsonElement::getAsString).toList();
        } else if (json instanceof JsonObject object) {
            return object.asMap().entrySet().stream()
                    .map(each -> each.getKey() + "=" + each.getValue().getAsString())
                    .toList();
        }
        return json == null ? List.of() : List.of(json.getAsString());
    }
}
