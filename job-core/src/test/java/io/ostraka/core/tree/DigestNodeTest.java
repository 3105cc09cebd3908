package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Reason;
import io.ostraka.core.model.HealthDigest;
import io.ostraka.core.model.Versioned;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the node that contains the digest of an instance's health. */
class DigestNodeTest {
    private static final Instant SINCE = Instant.parse("2026-01-01T10:00:00Z");
    private static final String HEAD =
            "{\"format\":4,\"instance\":\"a@1@2\",\"state\":\"WORKING\",\"leading\":true,\"alarms\":{},"
                    + "\"connectedSince\":\"2026-01-01T10:00:00Z\",\"truncated\":0,";

    private static HealthDigest digest(Map<String, List<Reason>> jobs) {
        return new HealthDigest("a@1@2", InstanceState.WORKING, true, SINCE, "no rights", jobs, Map.of(), null, 0);
    }

    private static HealthDigest digest(int jobs, IntFunction<Reason> reason) {
        Map<String, List<Reason>> all = new TreeMap<>();
        for (int i = 0; i < jobs; i++) {
            all.put("job-" + i, List.of(reason.apply(i)));
        }
        return digest(all);
    }

    private static Versioned<HealthDigest> read(byte[] data) {
        return Codec.decode(
                new Node("/health/a@1@2", data, new Node.Stat(0, 1, 1, Instant.EPOCH, Instant.EPOCH, 2)),
                HealthDigest.class);
    }

    private static Versioned<HealthDigest> read(String json) {
        return read(json.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(SplittableRandom random) {
        return random.ints(100, 'a', 'z')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void digestComesBackFromItsNode() {
        HealthDigest digest = digest(Map.of(
                "one",
                List.of(new Reason(Kind.STUCK_ITEMS, "items 1", SINCE), new Reason(Kind.PAUSED, "paused", SINCE)),
                "two",
                List.of(new Reason(Kind.NO_HOST, "no host", SINCE)),
                "fine",
                List.of()));
        byte[] data = Codec.encode(digest);

        assertThat(read(data).value()).isEqualTo(digest);
        assertThat(digest.jobs()).containsOnlyKeys("one", "two");
        assertThat(digest.jobs().get("one"))
                .extracting(Reason::kind)
                .as("most severe first")
                .containsExactly(Kind.PAUSED, Kind.STUCK_ITEMS);
        assertThat(new String(data, StandardCharsets.UTF_8)).contains("\"text\":\"items 1\"");
    }

    @Test
    void digestWithoutExceptionsIsSmall() {
        byte[] data = Codec.encode(
                new HealthDigest("a@1@2", InstanceState.WORKING, false, SINCE, null, Map.of(), Map.of(), null, 0));

        assertThat(data).hasSizeLessThan(200);
        assertThat(read(data).value().jobs()).isEmpty();
    }

    @Test
    void thousandJobsWithReasonsFitCompressed() {
        HealthDigest digest =
                digest(1_000, i -> new Reason(Kind.QUARANTINED_ITEMS, "quarantined items 1, 7: release them", SINCE));
        byte[] data = Codec.encode(digest);

        assertThat(data).hasSizeLessThan(64 << 10);
        assertThat(new String(data, StandardCharsets.UTF_8))
                .contains("\"jobs\":{}")
                .contains("jobsGzip");
        assertThat(read(data).value()).isEqualTo(digest);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void tenThousandJobsAreTruncatedBySeverity(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        HealthDigest digest = digest(
                10_000,
                i -> new Reason(
                        i % 100 == 50 ? Kind.QUARANTINED_ITEMS : i % 2 == 0 ? Kind.PAUSED : Kind.WAITING_ITEMS,
                        text(random),
                        SINCE));
        byte[] data = Codec.encode(digest);
        HealthDigest read = read(data).value();

        assertThat(data).hasSizeBetween(40 << 10, 64 << 10);
        assertThat(read.truncated()).isEqualTo(10_000 - read.jobs().size()).isPositive();
        assertThat(digest.jobs()).containsAllEntriesOf(read.jobs());
        assertThat(kinds(read))
                .as("what an operator must act on")
                .filteredOn(Kind.QUARANTINED_ITEMS::equals)
                .hasSize(100);
        assertThat(kinds(read))
                .as("then jobs that do not run")
                .contains(Kind.PAUSED)
                .doesNotContain(Kind.WAITING_ITEMS);
    }

    private static List<Kind> kinds(HealthDigest digest) {
        return digest.jobs().values().stream()
                .flatMap(List::stream)
                .map(Reason::kind)
                .toList();
    }

    @Test
    void alarmsOfThousandJobsFitCompressed() {
        HealthDigest digest = alarming(IntStream.range(0, 1_000).mapToObj(i -> "settlement-of-branch-" + i));
        byte[] data = Codec.encode(digest);

        assertThat(data).hasSizeLessThan(18 << 10);
        assertThat(read(data).value()).isEqualTo(digest);
    }

    @Test
    void jobsWhoseAlarmsDoNotFitAreLeftOut() {
        SplittableRandom random = new SplittableRandom(1);
        HealthDigest digest = alarming(
                Stream.generate(() -> Long.toHexString(random.nextLong())).limit(5_000));
        byte[] data = Codec.encode(digest);

        assertThat(data).hasSizeBetween(8 << 10, 18 << 10);
        assertThat(digest.alarms()).containsAllEntriesOf(read(data).value().alarms());
    }

    private static HealthDigest alarming(Stream<String> jobs) {
        Map<String, Set<AlarmKind>> alarms =
                jobs.collect(Collectors.toMap(job -> job, job -> Set.of(AlarmKind.MISSED, AlarmKind.FAILING)));
        return new HealthDigest("a@1@2", InstanceState.WORKING, false, SINCE, null, Map.of(), alarms, null, 0);
    }

    @Test
    void singleJobThatDoesNotFitIsLeftOut() {
        SplittableRandom random = new SplittableRandom(0);
        List<Reason> reasons = Stream.generate(
                        () -> new Reason(Kind.OTHER, text(random) + text(random) + text(random), SINCE))
                .limit(2_000)
                .toList();
        HealthDigest read = read(Codec.encode(digest(Map.of("job", reasons)))).value();

        assertThat(read.jobs()).isEmpty();
        assertThat(read.truncated()).isEqualTo(1);
    }

    @Test
    void textsAreShortAndPrintable() {
        HealthDigest digest = digest(1, i -> new Reason(Kind.DEFECT, "a\nline\u0000" + "ä".repeat(1_000), SINCE));

        assertThat(digest.jobs().get("job-0").get(0).text())
                .startsWith("a line ä")
                .hasSizeLessThan(510);
        assertThat(read(HEAD + "\"problem\":\"x\\u0007y\",\"jobs\":{\"job\":[{\"kind\":\"DEFECT\",\"text\":\"a\\nb\","
                                + "\"since\":\"2026-01-01T10:00:00Z\"}]}}")
                        .value())
                .satisfies(read -> {
                    assertThat(read.problem()).isEqualTo("x y");
                    assertThat(read.jobs().get("job").get(0).text()).isEqualTo("a b");
                });
    }

    @Test
    void kindsAndFieldsOfANewerVersionAreReadable() {
        Versioned<HealthDigest> read =
                read(HEAD + "\"mood\":\"fine\",\"jobs\":{\"job\":[{\"kind\":\"BEWITCHED\",\"text\":\"why\","
                        + "\"since\":\"2026-01-01T10:00:00Z\",\"spell\":1}]}}");

        assertThat(read.value().jobs()).isEqualTo(Map.of("job", List.of(new Reason(Kind.OTHER, "why", SINCE))));
        assertThat(read.unknown().toString()).isEqualTo("{\"mood\":\"fine\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"jobs\":{\"job\":[{\"kind\":7,\"text\":\"why\",\"since\":\"2026-01-01T10:00:00Z\"}]}}",
                "\"jobs\":{\"job\":[{\"kind\":\"PAUSED\",\"since\":\"2026-01-01T10:00:00Z\"}]}}",
                "\"jobs\":{\"job\":[{\"kind\":\"PAUSED\",\"text\":\"why\",\"since\":\"noon\"}]}}",
                "\"jobs\":{\"job\":[null]}}",
                "\"jobs\":{\"job\":7}}",
                "\"jobs\":{\"../config\":[{\"kind\":\"PAUSED\",\"text\":\"why\",\"since\":\"2026-01-01T10:00:00Z\"}]}}",
                "\"jobs\":[]}",
                "\"jobsGzip\":\"AAAA\"}",
                "\"problem\":{}}",
                "\"jobs\":{},\"truncated\":-1}",
                ""
            })
    void rejectsDamagedDigest(String rest) {
        assertThatThrownBy(() -> read(HEAD + rest))
                .hasMessageStartingWith("/health/a@1@2 can't be read as HealthDigest: ");
    }

    @Test
    void rejectsDeepAndLargePackedJobs() {
        String deep = CompressedText.pack("{\"job\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");
        String large = CompressedText.pack(" ".repeat(20 << 20) + "{}");

        assertThatThrownBy(() -> read(HEAD + "\"jobsGzip\":\"" + deep + "\"}")).hasMessageContaining("HealthDigest: ");
        assertThatThrownBy(() -> read(HEAD + "\"jobsGzip\":\"" + large + "\"}"))
                .hasMessageContaining("jobsGzip unpacks to more than");
    }

    /** Reasons are sorted by kind. */
    @Test
    void kindsAreDeclaredInTheOrderOfTheirSeverity() {
        assertThat(Arrays.asList(Kind.values()))
                .isSortedAccordingTo(Comparator.comparing(Kind::status, Comparator.reverseOrder()));
    }
}
