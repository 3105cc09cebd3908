package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ostraka.api.Exclusions;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.InstanceMatch;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.JobInstance;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that everything that is accepted as input comes back unchanged from its node, and is refused otherwise. */
class StoredInputTest {
    private static final Instant NOW = Instant.parse("2026-05-01T10:00:00Z");

    /** Texts that a careless or hostile user may set; null is one of them. */
    private static final List<@Nullable String> TEXTS = Collections.unmodifiableList(Arrays.asList(
            null,
            "",
            " ",
            "\0",
            "a\0b",
            "cut \ud83d",
            "\udc00 cut",
            "\udc00\ud83d",
            "\ud83d\ude00",
            "\ufeffwith a mark",
            "\ufffe\uffff",
            "\u2028\u2029",
            "\u0001\u001f\u007f\u0085\u009f",
            "\r\n\t",
            "\"\\/'<>&=",
            "\\u0000",
            "null",
            "{}",
            "e\u0301 \u00e9",
            "\u202eright to left",
            "x".repeat(5_000)));

    private static final List<String> LONG =
            List.of("x".repeat(1_000_000), "\u20ac".repeat(320_000), "\u0001".repeat(160_000));

    private static JobConfiguration.Builder job() {
        return JobConfiguration.newBuilder("job", 3);
    }

    /** Returns the value if it is accepted; fails if an exception of another kind refuses it. */
    private static <T> @Nullable T accepted(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException | JobConfigurationException e) {
            assertThat(e).hasMessageContaining("accepted: ");
            return null;
        }
    }

    /** Checks a value that was accepted; null if it was refused. */
    private static boolean comesBack(@Nullable Object value) {
        if (value == null) {
            return false;
        }
        byte[] data = Codec.encode(value);
        assertThat(data.length).as(value.getClass() + " of " + data.length).isLessThan(NodeRequests.MAX_BYTES - 10_000);
        Node node = new Node("/node", data, new Node.Stat(1, 1, 1, NOW, NOW, 0));
        assertThat(Codec.decode(node, value.getClass()).value().equals(value))
                .as("%.300s", value)
                .isTrue();
        return true;
    }

    @SuppressWarnings("unchecked")
    private static void define(JobField<?> field, @Nullable Object value) {
        JobField<Object> any = (JobField<Object>) field;
        JobConfiguration built = accepted(() -> job().set(any, value).build());
        if (built != null) {
            comesBack(new Definition(built, false));
        }
        if (field.isOverridable()) {
            JobConfiguration definition = job().build();
            Definition effective = accepted(() -> {
                JobOverride override = JobOverride.NONE.with(any, value);
                Definition made = new Definition(override.applyTo(definition), false);
                comesBack(override);
                return made;
            });
            assertThat(effective == null).as(field + "").isEqualTo(built == null);
        }
    }

    @Test
    void textOfFieldComesBackOrIsRefused() {
        for (JobField<?> field : JobConfiguration.fields()) {
            for (String text : TEXTS) {
                if (field.type() == String.class) {
                    define(field, text);
                } else if (field.type() != Integer.class && !(field.type() instanceof Class)) {
                    boolean numbered = field.name().equals("shardingItemParameters");
                    define(field, Collections.singletonMap(numbered ? (Object) 1 : "key", text));
                    define(field, Collections.singletonMap(numbered ? null : text, "value"));
                    define(field, Collections.singletonMap(numbered ? "1" : 1, "value"));
                    define(field, Collections.singletonMap(numbered ? (Object) 1 : "key", 2));
                }
            }
        }
    }

    private static @Nullable InstanceMatch match(String text) {
        try {
            return InstanceMatch.parse(text);
        } catch (IllegalArgumentException e) {
            return null; // the message names the position and the expected input
        }
    }

    @Test
    void valueOfFieldComesBackOrIsRefused() {
        Map<String, List<@Nullable Object>> values = Map.of(
                "schedule",
                schedules().collect(Collectors.toList()),
                "requiredInstances",
                Stream.concat(
                                TEXTS.stream().filter(text -> text != null).map(text -> match("rack=\"" + text + "\"")),
                                Stream.of(match("a&".repeat(499) + "a"), match("a".repeat(1_000)), match("!(!a|b)")))
                        .collect(Collectors.toList()),
                "retry",
                Arrays.asList(
                        RetryPolicy.attempts(Integer.MAX_VALUE).jitter(Double.MIN_VALUE),
                        RetryPolicy.attempts(2).backoff(Duration.ofNanos(1), 1 + Math.ulp(1.0), Schedule.LONGEST),
                        null),
                "history",
                Arrays.asList(HistoryLevel.of("SLOW(PT0.001S)"), null),
                "timeout",
                Arrays.asList(Duration.ofNanos(1), Duration.ofSeconds(1, 1), Schedule.LONGEST, Duration.ZERO, null),
                "revision",
                Arrays.asList(Long.MAX_VALUE, -1L, null));
        for (JobField<?> field : JobConfiguration.fields()) {
            values.getOrDefault(field.name(), List.of()).forEach(value -> define(field, value));
        }
    }

    private static Stream<@Nullable Object> schedules() {
        List<Supplier<@Nullable Object>> made = new ArrayList<>();
        for (String zone : List.of("Europe/Berlin", "Z", "+01:00:05", "GMT0", "UT+3", "SystemV/PST8", "EST5EDT")) {
            made.add(() -> Schedule.cron("0 0 0 ? * MON#2 ", ZoneId.of(zone)));
        }
        made.add(() -> Schedule.cron("\t0 0 0 * * ?\n"));
        made.add(() -> Schedule.cron("0 0 0 * * ? \ud83d"));
        made.add(() -> Schedule.cron("0 0 0 * * \0?"));
        for (Instant at : List.of(Instant.EPOCH, Schedule.LATEST, Instant.MAX, Instant.MIN, NOW.plusNanos(1))) {
            made.add(() -> Schedule.once(at));
            made.add(() ->
                    Schedule.fixedRate(Duration.ofMillis(10)).startingAt(at).endingAt(at));
        }
        made.add(
                () -> Schedule.adaptive(Duration.ofMillis(1), Integer.MAX_VALUE).jitter(Schedule.LONGEST));
        made.add(() -> Schedule.fixedDelay(Duration.ofMillis(1))
                .excluding(none -> none.dates(LocalDate.MIN, LocalDate.MAX)
                        .yearly(MonthDay.of(2, 29))
                        .daily(LocalTime.MIDNIGHT, LocalTime.of(23, 59, 59, 999_000_000))
                        .cron("* 0 0 ? * 2-6")));
        made.add(() -> null);
        return made.stream().map(each -> {
            try {
                return each.get();
            } catch (IllegalArgumentException | java.time.DateTimeException e) {
                return null;
            }
        });
    }

    private static Exclusions largest() {
        return new Exclusions(
                ZoneOffset.ofTotalSeconds(1),
                Set.of(),
                IntStream.range(0, Exclusions.MOST)
                        .mapToObj(LocalDate.MIN::plusDays)
                        .collect(Collectors.toSet()),
                Set.of(),
                Set.of(),
                IntStream.range(0, Exclusions.MOST)
                        .mapToObj(LocalTime.of(1, 1, 1, 1_000_000)::plusSeconds)
                        .map(from -> new Exclusions.Window(from, from.plusNanos(1_000_000)))
                        .toList(),
                IntStream.range(1, 1 + Exclusions.MOST_CRONS)
                        .mapToObj(day -> "* 0 0 " + "1,".repeat(480) + day + " * ?")
                        .toList());
    }

    @Test
    @Tag("slow")
    void largestConfigurationFitsIntoItsNode() {
        Map<Integer, String> parameters = IntStream.range(0, 2_000)
                .boxed()
                .collect(Collectors.toMap(item -> item, item -> "\u20ac\"\n\u20ac".substring(item % 3)));
        JobConfiguration.Builder job = JobConfiguration.newBuilder("job", 2_000).shardingItemParameters(parameters);
        int fits = 0;
        for (int step = 1 << 20; step > 0; step /= 2) {
            int length = fits + step;
            String text = "x".repeat(length);
            if (accepted(() -> job.jobParameter(text).build()) != null) {
                fits = length;
            }
        }
        JobConfiguration largest = job.jobParameter("x".repeat(fits))
                .schedule(Schedule.fixedDelay(Duration.ofMillis(1)).excluding(largest()))
                .build();
        assertThat(comesBack(new Definition(largest, false))).isTrue();
        for (String text : LONG) {
            assertThat(accepted(() -> job.jobParameter(text).build())).isNull();
        }
        String tooLong = "x".repeat(fits + 1);
        assertThatThrownBy(() -> job.jobParameter(tooLong).build())
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("job 'job': ")
                .hasMessageContaining("at most 900000 bytes for all texts of the job together, which have 900001");
    }

    @Test
    void requestsOfOperatorsAndApplicationsComeBackOrAreRefused() {
        Orders.Order order = new Orders.Order("ann", "why", NOW, null);
        List<Function<@Nullable String, Object>> made = List.of(
                text -> new Trigger.Request("job", "run", Collections.singletonMap("key", text), Set.of()),
                text -> new Trigger.Request("job", "run", Collections.singletonMap(text, "value"), Set.of()),
                text -> new Trigger.Request("job", "run", Map.of(), Set.of()).requestedBy("ann", text),
                text -> new Trigger.Request("job", "run", Map.of(), Set.of()).requestedBy(notNull(text), "why"),
                text -> new DelayedTrigger(
                        notNull(text), Duration.ZERO, new Trigger.Request("job", "run", Map.of(), Set.of())),
                text -> new Backfill.Request("id", 1, order, Collections.singletonMap("key", text), 1, 1, List.of(NOW)),
                text -> new Backfill.Request(
                        "id", 1, order, Collections.singletonMap(text, "value"), 1, 1, List.of(NOW)),
                text -> new FireStop.Request(notNull(text), "why", NOW),
                text -> new FireStop.Request("ann", notNull(text), NOW),
                text -> new Orders(new Orders.Order("ann", notNull(text), NOW, null), Map.of(), List.of("id")),
                text -> JobOverride.NONE
                        .withPaused(true)
                        .because(new JobOverride.Change("ann", notNull(text), NOW, null), Set.of("paused")),
                text -> JobOverride.NONE.withPaused(true).after(List.of(), JobOverride.requireRequest(notNull(text))),
                text -> new InstanceInfo(
                        new JobInstance("a@1@2", "host", notNull(text), Collections.singletonMap("rack", text), 1),
                        1,
                        InstanceInfo.State.WORKING,
                        false,
                        Set.of("job"),
                        List.of(),
                        Map.of(),
                        Set.of()));
        for (Function<@Nullable String, Object> each : made) {
            for (String text : TEXTS) {
                comesBack(accepted(() -> each.apply(text)));
            }
        }
    }

    /** Replaces null for arguments whose static type excludes it. */
    private static String notNull(@Nullable String text) {
        return text == null ? "" : text;
    }

    @Test
    void optionsOfCommandAreRefusedWhereTheyAreMade() {
        for (String text : List.of("\0", "line\nbreak", "cut \ud83d")) {
            assertThat(catchThrowable(() -> CommandOptions.by(text))).hasMessageContaining("accepted: ");
            assertThat(catchThrowable(() -> CommandOptions.by("ann").because(text)))
                    .hasMessageContaining("accepted: ");
            assertThat(catchThrowable(() -> CommandOptions.by("ann").withRequestId(text)))
                    .hasMessageContaining("accepted: ");
        }
    }

    @Test
    void itemParametersAreSeparatedByCommasOnly() {
        for (String text :
                List.of("0=a;1=b", "0=a\n1=b", "0=a\r\n1=b", "0=a\uff0c1=b", "0=a\uff1b 1=b", "0=a\u30011=b")) {
            assertThatThrownBy(() -> job().shardingItemParameters(text))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("a comma between two items");
        }
        assertThat(job().shardingItemParameters("0=a;b, 1=x=1 y=2,\n2=http://h/?a=1;b=2")
                        .build()
                        .shardingItemParameters())
                .containsEntry(0, "a;b")
                .containsEntry(1, "x=1 y=2")
                .containsEntry(2, "http://h/?a=1;b=2");
    }

    @Test
    void refusalNamesTheItemAndTheValue() {
        assertThatThrownBy(() -> job().shardingItemParameters(Collections.singletonMap(1, null))
                        .build())
                .hasMessage("job 'job': shardingItemParameters is '1=null'; accepted: a key of type Integer and a"
                        + " text without null, the character U+0000 and halves of surrogate pairs");
    }
}
