package io.ostraka.api;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells which instances are meant, by their tags, host and zone: {@code gpu & !batch}, {@code zone=eu | zone=us}, {@code
 * disk=ssd & (host=web-1 | host=web-2)}. Immutable and thread-safe; equal where the canonical text is.
 *
 * <table>
 * <caption>Forms, those that bind closest first</caption>
 * <tr><td>{@code gpu}</td><td>has a tag of that name, whatever its value</td></tr>
 * <tr><td>{@code disk=ssd}</td><td>has that tag with that value</td></tr>
 * <tr><td>{@code host=web-1}, {@code zone=eu}</td><td>is on that host, in that zone; never a tag. {@code zone} alone: is in any</td></tr>
 * <tr><td>{@code (…)}, {@code !a}</td><td>grouped; not</td></tr>
 * <tr><td>{@code a & b}</td><td>both</td></tr>
 * <tr><td>{@code a | b}</td><td>either</td></tr>
 * </table>
 *
 * <p>Names and values are of letters, digits and {@code . _ - : / @}; any other value stands in double quotes, which it
 * can't contain itself: {@code rack="row 3"}.
 */
public final class InstanceMatch {
    /** How many characters a text may have. */
    public static final int MAX_LENGTH = 1_000;

    /** How deep parentheses may stand in each other. */
    private static final int MAX_DEPTH = 32;

    private final Term term;
    private final String text;

    private InstanceMatch(Term term) {
        this.term = term;
        this.text = term.text();
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException saying at which position what would be accepted
     */
    public static InstanceMatch parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("at most " + MAX_LENGTH + " characters; there are " + text.length());
        }
        return new InstanceMatch(new Parser(text).whole());
    }

    /** Tells whether an instance is one of those that are meant. */
    public boolean matches(JobInstance instance) {
        return term.matches(instance);
    }

    /** Returns the canonical text: read again, it is the same match. */
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

        /** The same as part of something that binds closer than {@code |}, or closer than {@code &}. */
        default String within(boolean not) {
            return this instanceof Any || (not && this instanceof All) ? "(" + text() + ")" : text();
        }
    }

    /** @param value null for any */
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

    /** By descent, which {@link #MAX_DEPTH} bounds. */
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

        /** What is grouped without need is no group, so that equal matches have equal texts. */
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
                throw expected("at most " + MAX_DEPTH + " parentheses in each other");
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
