package io.ostraka.api;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A condition on an instance's tags, host and zone, such as {@code gpu & !batch}, {@code zone=eu | zone=us} or {@code
 * disk=ssd & (host=web-1 | host=web-2)}. Immutable and thread-safe. Two conditions are equal if their canonical
 * forms ({@link #toString}) are equal.
 *
 * <table>
 * <caption>Syntax, highest precedence first</caption>
 * <tr><td>{@code gpu}</td><td>the instance has a tag of this name, with any value</td></tr>
 * <tr><td>{@code disk=ssd}</td><td>the instance has this tag with this value</td></tr>
 * <tr><td>{@code host=web-1}, {@code zone=eu}</td><td>the instance is on this host, or in this zone; these
 * two names never refer to a tag. {@code zone} without a value: the instance has a zone</td></tr>
 * <tr><td>{@code (…)}, {@code !a}</td><td>grouping; negation</td></tr>
 * <tr><td>{@code a & b}</td><td>both conditions hold</td></tr>
 * <tr><td>{@code a | b}</td><td>at least one condition holds</td></tr>
 * </table>
 *
 * <p>Names and values consist of letters, digits and {@code . _ - : / @}. A value with other characters must be in
 * double quotes, and cannot contain a double quote: {@code rack="row 3"}.
 */
public final class InstanceMatch {
    /** Maximum length of a condition, in characters. */
    public static final int MAX_LENGTH = 1_000;

    /** Largest depth of nested parentheses. */
    private static final int MAX_DEPTH = 32;

    private final Term term;
    private final String text;

    private InstanceMatch(Term term) {
        this.term = term;
        this.text = term.text();
    }

    /**
     * Parses a condition.
     *
     * @throws IllegalArgumentException if the text is not a valid condition; the message names the position of the
     *     error and the accepted input
     */
    public static InstanceMatch parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "the text has " + text.length() + " characters; accepted: at most " + MAX_LENGTH);
        }
        if (!StoredText.accepts(text)) {
            throw new IllegalArgumentException("the text is not storable; accepted: " + StoredText.ACCEPTED);
        }
        InstanceMatch match = new InstanceMatch(new Parser(text).whole());
        if (match.text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("the text has " + match.text.length()
                    + " characters with a blank on each side of & and |; accepted: at most " + MAX_LENGTH);
        }
        return match;
    }

    /** Returns whether the given instance meets the condition. */
    public boolean matches(JobInstance instance) {
        return term.matches(instance);
    }

    /** Returns the canonical form of this condition, which {@link #parse} accepts. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof InstanceMatch that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    private static boolean plain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "._-:/@".indexOf(c) >= 0;
    }

    private sealed interface Term {
        boolean matches(JobInstance instance);

        String text();

        /**
         * Returns the text of this term as an operand, in parentheses if the operator requires them. The operator is
         * {@code !} if {@code not} is true, otherwise {@code &}.
         */
        default String within(boolean not) {
            return this instanceof Any || (not && this instanceof All) ? "(" + text() + ")" : text();
        }
    }

    /**
     * Requires a tag, host or zone.
     *
     * @param value required value; null if any value matches
     */
    private record Has(String name, @Nullable String value) implements Term {
        @Override
        public boolean matches(JobInstance instance) {
            @Nullable String actual = actual(instance);
            return actual != null && (value == null || value.equals(actual));
        }

        private @Nullable String actual(JobInstance instance) {
            if (name.equals("host") || name.equals("zone")) {
                String attribute = name.equals("host") ? instance.host() : instance.zone();
                return attribute.isEmpty() ? null : attribute;
            }
            return instance.tags().get(name);
        }

        @Override
        public String text() {
            if (value == null) {
                return name;
            }
            boolean bare = !value.isEmpty() && value.chars().allMatch(c -> plain((char) c));
            return name + "=" + (bare ? value : '"' + value + '"');
        }
    }

    private record Not(Term term) implements Term {
        @Override
        public boolean matches(JobInstance instance) {
            return !term.matches(instance);
        }

        @Override
        public String text() {
            return "!" + term.within(true);
        }
    }

    private record All(List<Term> terms) implements Term {
        @Override
        public boolean matches(JobInstance instance) {
            return terms.stream().allMatch(term -> term.matches(instance));
        }

        @Override
        public String text() {
            return terms.stream().map(term -> term.within(false)).collect(Collectors.joining(" & "));
        }
    }

    private record Any(List<Term> terms) implements Term {
        @Override
        public boolean matches(JobInstance instance) {
            return terms.stream().anyMatch(term -> term.matches(instance));
        }

        @Override
        public String text() {
            return terms.stream().map(Term::text).collect(Collectors.joining(" | "));
        }
    }

    /** A recursive-descent parser; {@link #MAX_DEPTH} limits its recursion. */
    private static final class Parser {
        private final String text;
        private int at;
        private int depth;

        Parser(String text) {
            this.text = text;
        }

        Term whole() {
            Term term = any();
            if (at < text.length()) {
                throw expected("'&', '|' or the end");
            }
            return term;
        }

        private Term any() {
            List<Term> terms = new ArrayList<>();
            do {
                add(terms, all());
            } while (took('|'));
            return terms.size() == 1 ? terms.get(0) : new Any(List.copyOf(terms));
        }

        /** Adds an operand without superfluous parentheses, so that equal conditions have the same canonical form. */
        private static void add(List<Term> terms, Term term) {
            if (term instanceof Any any) {
                terms.addAll(any.terms);
            } else {
                terms.add(term);
            }
        }

        private Term all() {
            List<Term> terms = new ArrayList<>();
            do {
                Term term = one();
                if (term instanceof All all) {
                    terms.addAll(all.terms);
                } else {
                    terms.add(term);
                }
            } while (took('&'));
            return terms.size() == 1 ? terms.get(0) : new All(List.copyOf(terms));
        }

        private Term one() {
            boolean not = false;
            while (took('!')) {
                not = !not;
            }
            Term term = took('(') ? group() : has();
            if (!not) {
                return term;
            }
            return term instanceof Not twice ? twice.term : new Not(term);
        }

        private Term group() {
            if (++depth > MAX_DEPTH) {
                throw expected("at most " + MAX_DEPTH + " nested parentheses");
            }
            Term term = any();
            if (!took(')')) {
                throw expected("'&', '|' or ')'");
            }
            depth--;
            return term;
        }

        private Term has() {
            String name = word();
            if (name.isEmpty()) {
                throw expected("a tag's name, host=…, zone=…, '!' or '('");
            }
            return new Has(name, took('=') ? value() : null);
        }

        private String value() {
            if (took('"')) {
                int end = text.indexOf('"', at);
                if (end < 0) {
                    at = text.length();
                    throw expected("the closing '\"'");
                }
                String value = text.substring(at, end);
                for (; at < end; at++) {
                    if (Character.isISOControl(text.charAt(at))) {
                        throw expected("no control characters");
                    }
                }
                at = end + 1;
                blanks();
                return value;
            }
            String value = word();
            if (value.isEmpty()) {
                throw expected("a value, in double quotes if it has other characters than letters, digits and ._-:/@");
            }
            return value;
        }

        private String word() {
            blanks();
            int start = at;
            while (at < text.length() && plain(text.charAt(at))) {
                at++;
            }
            String word = text.substring(start, at);
            blanks();
            return word;
        }

        private boolean took(char wanted) {
            blanks();
            if (at == text.length() || text.charAt(at) != wanted) {
                return false;
            }
            at++;
            return true;
        }

        private void blanks() {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
        }

        private IllegalArgumentException expected(String what) {
            String there = at < text.length() ? "there is '" + text.charAt(at) + "'" : "the text ends there";
            return new IllegalArgumentException("at position " + (at + 1) + " " + what + "; " + there);
        }
    }
}
