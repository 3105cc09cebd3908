package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.Strictness;
import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmTemplate;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the templates of alarms, and that no value breaks the JSON of the shipped ones. */
class AlarmTemplateTest {
    private static final Gson STRICT =
            new GsonBuilder().setStrictness(Strictness.STRICT).create();

    /** Quotes, an end of the string, all control characters, half a surrogate pair, and other parts of Unicode. */
    private static final String HOSTILE = "\"},{\"a\": \\ \\u0022 ${text} <!channel> "
            + IntStream.rangeClosed(0, 0x9f)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            + "\u2028\u2029\ufeff\ud83d\ude00\ud83d ü";

    private static Alarm alarm(String value, Alarm.State state) {
        return new Alarm(
                value,
                value,
                value,
                AlarmKind.FAILING,
                state,
                Instant.parse("2026-01-01T00:00:00Z"),
                Instant.parse("2026-01-01T00:05:00Z"),
                value,
                List.of(value, "1"),
                2,
                Map.of(value, value));
    }

    private static Alarm alarmOfTheNamespace() {
        Instant at = Instant.parse("2026-01-01T00:00:00Z");
        return new Alarm(
                "id", "orders", null, AlarmKind.HISTORY_LOST, Alarm.State.FIRING, at, at, "t", List.of(), 0, Map.of());
    }

    static List<String> names() {
        return AlarmTemplate.names();
    }

    private static List<String> strings(JsonElement json) {
        List<String> found = new ArrayList<>();
        if (json.isJsonObject()) {
            json.getAsJsonObject().asMap().values().forEach(each -> found.addAll(strings(each)));
        } else if (json.isJsonArray()) {
            json.getAsJsonArray().forEach(each -> found.addAll(strings(each)));
        } else if (json.isJsonPrimitive() && json.getAsJsonPrimitive().isString()) {
            found.add(json.getAsString());
        }
        return found;
    }

    private static JsonObject parsed(AlarmTemplate template, Alarm alarm) {
        byte[] sent = template.render(alarm, HOSTILE).getBytes(StandardCharsets.UTF_8);
        return STRICT.fromJson(new String(sent, StandardCharsets.UTF_8), JsonObject.class);
    }

    @ParameterizedTest
    @MethodSource("names")
    void shippedTemplateIsJsonForHostileValues(String name) {
        AlarmTemplate template = AlarmTemplate.named(name);

        JsonObject hostile = parsed(template, alarm(HOSTILE, Alarm.State.FIRING));
        JsonObject plain = parsed(template, alarm("x", Alarm.State.FIRING));

        assertThat(strings(hostile)).hasSameSizeAs(strings(plain)).anyMatch(text -> text.contains(HOSTILE));
        assertThat(hostile.keySet()).isEqualTo(plain.keySet());
        assertThat(parsed(template, alarm(HOSTILE, Alarm.State.RESOLVED))).isNotEqualTo(hostile);
    }

    /** Slack and Discord refuse a message with an empty text. */
    @ParameterizedTest
    @ValueSource(strings = {"slack", "discord", "teams", "google-chat", "mattermost"})
    void shippedTemplateHasAText(String name) {
        assertThat(parsed(AlarmTemplate.named(name), alarmOfTheNamespace()).toString())
                .contains("HISTORY_LOST: namespace 'orders': t");
        if (!name.equals("teams") && !name.equals("mattermost")) {
            assertThat(strings(parsed(AlarmTemplate.named(name), alarmOfTheNamespace())))
                    .doesNotContain("");
        }
    }

    @Test
    void pagerDutyEndsTheIncidentThatItBegan() {
        AlarmTemplate template = AlarmTemplate.named("pagerduty");
        JsonObject begin =
                STRICT.fromJson(template.render(AlarmTemplate.example(Alarm.State.FIRING), "key-1"), JsonObject.class);
        JsonObject end = STRICT.fromJson(
                template.render(AlarmTemplate.example(Alarm.State.RESOLVED), "key-1"), JsonObject.class);

        assertThat(begin.get("event_action").getAsString()).isEqualTo("trigger");
        assertThat(end.get("event_action").getAsString()).isEqualTo("resolve");
        assertThat(end.get("dedup_key")).isEqualTo(begin.get("dedup_key"));
        assertThat(begin.get("dedup_key").getAsString()).hasSize(36); // PagerDuty accepts at most 255 characters
        assertThat(begin.get("routing_key").getAsString()).isEqualTo("key-1");
        assertThat(begin.getAsJsonObject("payload").keySet())
                .contains("summary", "source", "severity"); // PagerDuty requires these
    }

    @Test
    void fillsInEachPlaceholder() {
        Alarm firing = AlarmTemplate.example(Alarm.State.FIRING);
        AlarmTemplate template =
                AlarmTemplate.text("${id} ${key} ${incident} ${namespace} ${job} ${subject} ${kind} ${state} ${event}"
                        + " ${since} ${at} ${itemCount} (${items}) (${labels}) ${label.owner} (${label.none})"
                        + " ${firing?begins|ends} ${secret} $${job} $job {x}");

        assertThat(template.render(firing, "s"))
                .isEqualTo(
                        "0123456789abcdef 0123456789abcdef/FIRING 7e45f87a-c672-311c-b59f-c841b02fa5bd orders settle-orders job 'settle-orders' MISSED FIRING"
                                + " alarm-firing 2026-01-01T00:00:00Z 2026-01-01T00:05:00Z 2 (0, 1) (owner=payments) payments ()"
                                + " begins s ${job} $job {x}");
        assertThat(template.usesSecret()).isTrue();
        assertThat(AlarmTemplate.text("${line}|${text}").render(firing, ""))
                .isEqualTo(firing.line() + "|" + firing.text());
        assertThat(AlarmTemplate.text("${job}.").render(alarmOfTheNamespace(), ""))
                .isEqualTo(".");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"${jobb}", "${}", "${label.}", "${firing?a}", "${firing?a|b|c}", "${text", "${text:-x}", "${JOB}"
            })
    void refusesAnUnknownPlaceholder(String placeholder) {
        assertThatThrownBy(() -> AlarmTemplate.json("{\"a\": \"" + placeholder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("placeholder '" + placeholder + "'")
                .hasMessageContaining("accepted: ${id}, ${key}, ${incident}, ${namespace}, ${job}")
                .hasMessageContaining("${label.NAME}");
    }

    @Test
    void refusesAnUnknownName() {
        assertThatThrownBy(() -> AlarmTemplate.named("irc"))
                .hasMessageContaining(
                        "'irc'; accepted: discord, google-chat, mattermost, pagerduty, rocket-chat, slack");
    }

    @Test
    void cutsALongValueBetweenCharacters() {
        String smile = "\ud83d\ude00";
        String rendered = AlarmTemplate.text("${text}").render(alarm(smile.repeat(1000), Alarm.State.FIRING), "");

        assertThat(rendered)
                .hasSizeLessThanOrEqualTo(AlarmTemplate.LONGEST_VALUE)
                .endsWith(smile + "…");
    }
}
