package io.ostraka.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A text with placeholders for the values of an alarm, for example the body of a request to a chat system. Immutable
 * and thread-safe.
 *
 * <p>Placeholders, such as <code>${job}</code>:
 *
 * <ul>
 *   <li>{@code id}, {@code key} ({@link Alarm#idempotencyKey()}), {@code namespace}, {@code kind}, {@code state},
 *       {@code since}, {@code at}, {@code text}, {@code itemCount}, {@code line} ({@link Alarm#line()})
 *   <li>{@code incident}: key of 36 characters that is the same at the beginning and at the end of an alarm
 *   <li>{@code job}: name of the job; empty if the alarm concerns the whole namespace
 *   <li>{@code subject}: {@code job 'NAME'}, or {@code namespace 'NAME'}
 *   <li>{@code event}: {@code alarm-firing} or {@code alarm-resolved}
 *   <li>{@code items}, {@code labels}: all keys, and all labels as {@code NAME=VALUE}, separated by commas
 *   <li>{@code label.NAME}: value of the label; empty if the job does not have it
 *   <li>{@code firing?A|B}: A if the alarm begins, and B if it ends
 *   <li>{@code secret}: the secret that is passed to {@link #render}
 * </ul>
 *
 * <p>A value is at most {@value #LONGEST_VALUE} characters long; the rest is cut off. In a JSON template, values are
 * escaped for use within a JSON string. <code>$${</code> stands for <code>${</code>.
 */
public final class AlarmTemplate {
    /** Maximum length of a value, in characters. Chat systems refuse messages with longer fields. */
    public static final int LONGEST_VALUE = 1000;

    private static final String OPEN = "${";
    private static final String LABEL = "label.";
    private static final String FIRING = "firing?";
    private static final String SECRET = "secret";
    private static final Map<String, Function<Alarm, String>> VALUES = values();

    /** Names of the shipped templates, with their files. Rocket.Chat accepts the messages of Mattermost. */
    private static final Map<String, String> SHIPPED = Collections.unmodifiableMap(new TreeMap<>(Map.of(
            "discord", "discord",
            "google-chat", "google-chat",
            "mattermost", "mattermost",
            "pagerduty", "pagerduty",
            "rocket-chat", "mattermost",
            "slack", "slack",
            "teams", "teams")));

    private final boolean json;
    private final boolean withSecret;
    private final List<Part> parts;

    private interface Part {
        String render(Alarm alarm, String secret);
    }

    private AlarmTemplate(String text, boolean json) {
        this.json = json;
        this.parts = new ArrayList<>();
        boolean secret = false;
        int at = 0;
        for (int open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, at)) {
            if (open > at && text.charAt(open - 1) == '$') {
                literal(text.substring(at, open - 1) + OPEN);
                at = open + OPEN.length();
                continue;
            }
            int close = text.indexOf('}', open);
            if (close < 0) {
                throw refused(text.substring(open, Math.min(text.length(), open + 40)));
            }
            literal(text.substring(at, open));
            String name = text.substring(open + OPEN.length(), close);
            secret |= name.equals(SECRET);
            parts.add(placeholder(name));
            at = close + 1;
        }
        literal(text.substring(at));
        this.withSecret = secret;
    }

    private void literal(String text) {
        parts.add((alarm, secret) -> text);
    }

    private Part placeholder(String name) {
        if (name.equals(SECRET)) {
            return (alarm, secret) -> escaped(secret);
        }
        Function<Alarm, String> value = value(name);
        return (alarm, secret) -> escaped(cut(value.apply(alarm)));
    }

    private static Function<Alarm, String> value(String name) {
        Function<Alarm, String> known = VALUES.get(name);
        if (known != null) {
            return known;
        }
        if (name.startsWith(LABEL) && name.length() > LABEL.length()) {
            String label = name.substring(LABEL.length());
            return alarm -> alarm.labels().getOrDefault(label, "");
        }
        String[] choices =
                name.startsWith(FIRING) ? name.substring(FIRING.length()).split("\\|", -1) : new String[0];
        if (choices.length == 2) {
            return alarm -> choices[alarm.state() == Alarm.State.FIRING ? 0 : 1];
        }
        throw refused(OPEN + name + "}");
    }

    private static IllegalArgumentException refused(String placeholder) {
        return new IllegalArgumentException("an alarm template has the placeholder '" + placeholder + "'; accepted: "
                + VALUES.keySet().stream().map(name -> OPEN + name + "}").collect(Collectors.joining(", "))
                + ", ${label.NAME}, ${firing?A|B}, ${secret}, and $${ for a literal ${");
    }

    private static Map<String, Function<Alarm, String>> values() {
        Map<String, Function<Alarm, String>> values = new LinkedHashMap<>();
        values.put("id", Alarm::id);
        values.put("key", Alarm::idempotencyKey);
        values.put("incident", AlarmTemplate::incident);
        values.put("namespace", Alarm::namespace);
        values.put("job", alarm -> nonNull(alarm.job()));
        values.put("subject", Alarm::subject);
        values.put("kind", alarm -> alarm.kind().name());
        values.put("state", alarm -> alarm.state().name());
        values.put("event", Alarm::event);
        values.put("since", alarm -> alarm.since().toString());
        values.put("at", alarm -> alarm.at().toString());
        values.put("text", Alarm::text);
        values.put("line", Alarm::line);
        values.put("items", alarm -> String.join(", ", alarm.items()));
        values.put("itemCount", alarm -> Integer.toString(alarm.itemCount()));
        values.put("labels", alarm -> alarm.labels().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(", ")));
        return Collections.unmodifiableMap(values);
    }

    /** Returns a key for the beginning and the end of an alarm. PagerDuty refuses keys of more than 255 characters. */
    private static String incident(Alarm alarm) {
        return UUID.nameUUIDFromBytes((alarm.namespace() + "/" + alarm.id()).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    private static String nonNull(@Nullable String text) {
        return text == null ? "" : text;
    }

    /**
     * Returns a JSON template. The text must be valid JSON once its placeholders are filled in. This method does not
     * check this; the registry's builder does.
     *
     * @throws IllegalArgumentException if a placeholder is unknown; the message names it and the accepted ones
     */
    public static AlarmTemplate json(String text) {
        return new AlarmTemplate(text, true);
    }

    /**
     * Returns a plain-text template. Values are not escaped.
     *
     * @throws IllegalArgumentException if a placeholder is unknown; the message names it and the accepted ones
     */
    public static AlarmTemplate text(String text) {
        return new AlarmTemplate(text, false);
    }

    /**
     * Returns a template that comes with the library.
     *
     * @param name one of {@link #names()}
     * @throws IllegalArgumentException if no template has this name
     */
    public static AlarmTemplate named(String name) {
        String file = SHIPPED.get(name);
        if (file == null) {
            throw new IllegalArgumentException(
                    "no alarm template has the name '" + name + "'; accepted: " + String.join(", ", names()));
        }
        try (InputStream stream = AlarmTemplate.class.getResourceAsStream("alarm-templates/" + file + ".json")) {
            if (stream == null) {
                throw new IllegalStateException("the jar of the library lacks the alarm template " + file);
            }
            return json(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the names of all templates that come with the library, sorted. */
    public static List<String> names() {
        return List.copyOf(SHIPPED.keySet());
    }

    /** Returns whether this is a JSON template. */
    public boolean isJson() {
        return json;
    }

    /** Returns whether the template contains <code>${secret}</code>. */
    public boolean usesSecret() {
        return withSecret;
    }

    /**
     * Returns the text of the template, with the placeholders replaced by the values of an alarm.
     *
     * @param secret value of <code>${secret}</code>; has no effect if the template does not contain it
     */
    public String render(Alarm alarm, String secret) {
        return parts.stream().map(part -> part.render(alarm, secret)).collect(Collectors.joining());
    }

    /**
     * Returns an alarm with invented values, for example to check a template.
     *
     * @param state state of the alarm
     */
    public static Alarm example(Alarm.State state) {
        return new Alarm(
                "0123456789abcdef",
                "orders",
                "settle-orders",
                AlarmKind.MISSED,
                state,
                Instant.parse("2026-01-01T00:00:00Z"),
                Instant.parse("2026-01-01T00:05:00Z"),
                "This is an example with \"quotes\".",
                List.of("0", "1"),
                2,
                Map.of("owner", "payments"));
    }

    /** Cuts a long value, but never within a pair of surrogates. */
    private static String cut(String value) {
        if (value.length() <= LONGEST_VALUE) {
            return value;
        }
        int end = LONGEST_VALUE - 1;
        return value.substring(0, Character.isHighSurrogate(value.charAt(end - 1)) ? end - 1 : end) + "…";
    }

    private String escaped(String value) {
        if (!json) {
            return value;
        }
        StringBuilder text = new StringBuilder(value.length() + 16);
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') {
                text.append('\\').append(each);
            } else if (each < ' ' || each == 0x7f || each == 0x2028 || each == 0x2029 || isLone(value, i)) {
                text.append(String.format("\\u%04x", (int) each));
            } else {
                text.append(each);
            }
        }
        return text.toString();
    }

    /** Returns whether a character is half of a surrogate pair, which UTF-8 cannot represent. */
    private static boolean isLone(String value, int at) {
        char each = value.charAt(at);
        if (Character.isHighSurrogate(each)) {
            return at + 1 == value.length() || !Character.isLowSurrogate(value.charAt(at + 1));
        }
        return Character.isLowSurrogate(each) && (at == 0 || !Character.isHighSurrogate(value.charAt(at - 1)));
    }
}
