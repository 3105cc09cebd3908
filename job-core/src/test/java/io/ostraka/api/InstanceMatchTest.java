package io.ostraka.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstanceMatchTest {
    private static final JobInstance GPU = new JobInstance(
            "web-1@7@1", "web-1", "eu", Map.of("gpu", "a100", "disk", "ssd", "rack", "row 3", "host", "no"), 1);
    private static final JobInstance PLAIN = new JobInstance("web-2@7@1", "web-2", "", Map.of("batch", ""), 1);

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "gpu; true; false",
                "!gpu; false; true",
                "gpu & !batch; true; false",
                "gpu | batch; true; true",
                "gpu & batch; false; false",
                "batch & gpu | disk=ssd; true; false",
                "batch & (gpu | disk=ssd); false; false",
                "!(gpu | batch); false; false",
                "disk=ssd; true; false",
                "disk=hdd; false; false",
                "host=web-1; true; false",
                "host=no; false; false",
                "zone=eu; true; false",
                "zone; true; false",
                "!zone; false; true",
                "batch=\"\"; false; true",
                "rack=\"row 3\"; true; false",
                "!!gpu; true; false",
            })
    void isTrueOfWhoIsMeant(String text, boolean gpu, boolean plain) {
        InstanceMatch match = InstanceMatch.parse(text);
        assertThat(match.matches(GPU)).isEqualTo(gpu);
        assertThat(match.matches(PLAIN)).isEqualTo(plain);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "gpu&!batch; gpu & !batch",
                "((gpu)); gpu",
                "a|(b|c); a | b | c",
                "a & (b & c); a & b & c",
                "(a & b) | c; a & b | c",
                "a & (b | c); a & (b | c)",
                "!(a & b); !(a & b)",
                "!!!a; !a",
                "!(!a); a",
                "a = \"b\"; a=b",
                "a=\"b c\"; a=\"b c\"",
            })
    void isPrintedInOneForm(String text, String canonical) {
        InstanceMatch match = InstanceMatch.parse(text);
        assertThat(match).hasToString(canonical).isEqualTo(InstanceMatch.parse(canonical));
        assertThat(match.hashCode()).isEqualTo(InstanceMatch.parse(canonical).hashCode());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; at position 1 a tag's name, host=…, zone=…, '!' or '('; the text ends there",
                "gpu &; at position 6 a tag's name, host=…, zone=…, '!' or '('; the text ends there",
                "& gpu; at position 1 a tag's name, host=…, zone=…, '!' or '('; there is '&'",
                "gpu batch; at position 5 '&', '|' or the end; there is 'b'",
                "gpu); at position 4 '&', '|' or the end; there is ')'",
                "(gpu; at position 5 '&', '|' or ')'; the text ends there",
                "gpu=; at position 5 a value, in double quotes if it has other characters than letters, digits and ._-:/@; the text ends there",
                "gpu=\"x; at position 7 the closing '\"'; the text ends there",
                "a && b; at position 4 a tag's name, host=…, zone=…, '!' or '('; there is '&'",
                "ü; at position 1 a tag's name, host=…, zone=…, '!' or '('; there is 'ü'",
            },
            ignoreLeadingAndTrailingWhitespace = true)
    void saysWhereWhatWouldBeAccepted(String text, String first, String second) {
        assertThatThrownBy(() -> InstanceMatch.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(first + "; " + second);
    }

    @Test
    void bombsAreRefused() {
        for (String bomb : List.of(
                "(".repeat(900) + "a" + ")".repeat(90),
                "!(".repeat(400),
                "a".repeat(1_001),
                "a=\"x\ny\"",
                "a=\"\u0000\"")) {
            assertThatThrownBy(() -> InstanceMatch.parse(bomb)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(InstanceMatch.parse("!".repeat(999) + "a")).hasToString("!a");
        assertThat(InstanceMatch.parse("(".repeat(32) + "a" + ")".repeat(32))).hasToString("a");
    }

    @Test
    void whateverIsWrittenIsReadAgainAsTheSameOrRefused() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        List<String> pieces = List.of("a", "b", "host", "zone", "=", "&", "|", "!", "(", ")", "\"", " ", "x-1", "ü");
        int read = 0;
        for (int sample = 0; sample < 20_000; sample++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(1, 10); i > 0; i--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            InstanceMatch match;
            try {
                match = InstanceMatch.parse(text.toString());
            } catch (IllegalArgumentException refused) {
                continue;
            }
            read++;
            InstanceMatch again = InstanceMatch.parse(match.toString());
            assertThat(again).as("seed %s: %s", seed, text).isEqualTo(match);
            for (JobInstance instance : List.of(GPU, PLAIN)) {
                assertThat(again.matches(instance)).as("seed %s", seed).isEqualTo(match.matches(instance));
            }
        }
        assertThat(read).isGreaterThan(500);
    }

    @Test
    void aConfigurationNamesTheFieldAndTheValueThatItRefuses() {
        JobConfiguration.Builder builder = JobConfiguration.newBuilder("job", 2);

        assertThatThrownBy(() -> builder.requiredInstances("gpu &"))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("job 'job': requiredInstances is 'gpu &'; accepted: at position 6 a tag's name");
        assertThatThrownBy(() -> builder.preferredInstances("("))
                .hasMessageContaining("preferredInstances is '('; accepted: at position 2");
        assertThatThrownBy(() -> builder.maxItemsPerInstance(-1).build())
                .hasMessageContaining("maxItemsPerInstance is '-1'; accepted: 0 or more");
        assertThatThrownBy(
                        () -> builder.maxItemsPerInstance(0).antiAffinity("job").build())
                .hasMessageContaining("antiAffinity is 'job'; accepted: another job's name");
        assertThat(builder.antiAffinity(null).requiredInstances(" ").build().requiredInstances())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpu", "gpu & !batch"})
    void aConfigurationHasItAsItIsMeant(String text) {
        JobConfiguration job = JobConfiguration.newBuilder("job", 2)
                .requiredInstances(text)
                .preferredInstances("(" + text + ")")
                .build();

        assertThat(job.requiredInstances()).isEqualTo(job.preferredInstances());
        assertThat(job.toBuilder().build()).isEqualTo(job);
    }
}
