package io.ostraka.cli.terminal;

import io.ostraka.console.security.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes command lines that a person can paste into bash or zsh, whatever names and texts they contain. */
public final class Shell {
    /** An equals sign at the beginning would make zsh look for a program. */
    private static final String PLAIN = "[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*";

    private static final String HYPHEN = "-";

    private Shell() {}

    /**
     * Returns a command line.
     *
     * @param begin the program with its common options, and the verb
     * @param positions values of positions; two hyphens mark them if one of them looks like an option
     * @param options further options
     */
    public static String line(List<String> begin, List<String> positions, List<String> options) {
        List<String> line = new ArrayList<>(begin);
        if (positions.stream().anyMatch(each -> each.startsWith(HYPHEN))) {
            line.addAll(options);
            line.add("--");
            line.addAll(positions);
        } else {
            line.addAll(positions);
            line.addAll(options);
        }
        return quoted(line);
    }

    /** Returns an option with its value: as two words, or as one word if the value looks like an option. */
    public static List<String> option(String name, String value) {
        return value.startsWith(HYPHEN) ? List.of(name + "=" + value) : List.of(name, value);
    }

    /** Returns words, each of them quoted if necessary. */
    public static String quoted(List<String> words) {
        return words.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    /** Quotes a word if necessary. */
    public static String quoted(String word) {
        if (word.matches(PLAIN)) {
            return word;
        } else if (word.codePoints().allMatch(Names::isVisible)) {
            return "'" + word.replace("'", "'\\''") + "'";
        }
        StringBuilder escaped = new StringBuilder("$'"); // a line feed must neither end the command nor be lost
        word.codePoints().forEach(each -> {
            if (!Names.isVisible(each)) {
                escaped.append((each <= 0xffff ? "\\u%04x" : "\\U%08x").formatted(each));
            } else {
                escaped.append(each == '\'' || each == '\\' ? "\\" : "").appendCodePoint(each);
            }
        });
        return escaped.append('\'').toString();
    }
}
