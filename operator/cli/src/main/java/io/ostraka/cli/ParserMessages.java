package io.ostraka.cli;

import io.ostraka.cli.terminal.Near;
import io.ostraka.cli.terminal.Shell;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes mistakes on the command line in words, without positions and with the nearest accepted names. */
final class ParserMessages {
    private ParserMessages() {}

    static String of(ParameterException e) {
        return e instanceof UnmatchedArgumentException unmatched
                ? unmatched(unmatched)
                : String.valueOf(e.getMessage())
                        .replaceAll("positional parameter at index [0-9.*]+ \\(([^)]*)\\)", "$1")
                        .replaceAll(" (at|from) index [0-9.*]+", "")
                        .replaceAll(
                                "Value for (?:option )*(.*) should be in KEY=VALUE\\S* format but was (.*)",
                                "$1 is '$2'; accepted: NAME=VALUE");
    }

    private static String unmatched(UnmatchedArgumentException e) {
        List<String> words = e.getUnmatched();
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        String first = words.isEmpty() ? "" : words.get(0);
        if (first.startsWith("-")) {
            String name = first.replaceFirst("=.*", "");
            return "'" + spec.qualifiedName(" ") + "' has no option " + name
                    + Near.hint(name, spec.optionsMap().keySet());
        } else if (spec.parent() == null) {
            return "'" + CommandTree.NAME + "' has no command " + first + commandHint(first);
        } else if (!spec.subcommands().isEmpty()) {
            return "'" + spec.qualifiedName(" ") + "' has no verb " + first
                    + Near.hint(first, spec.subcommands().keySet());
        }
        return "'" + spec.qualifiedName(" ") + "' takes no further value, but the command line has "
                + Shell.quoted(words);
    }

    /** Returns a hint with the nearest nouns, or with the verbs that the user may have typed without a noun. */
    private static String commandHint(String first) {
        Set<String> nouns =
                Verbs.all().stream().map(each -> each.path().split(" ", -1)[0]).collect(Collectors.toSet());
        String hint = Near.hint(first, nouns);
        List<String> verbs = Verbs.all().stream()
                .map(Verb::path)
                .filter(each -> each.endsWith(" " + first))
                .toList();
        return hint.isEmpty() ? Near.question(verbs) : hint;
    }
}
