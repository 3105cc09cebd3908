package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the values that programs and requests receive from a run. */
class RunValuesTest {
    private static final JobConfiguration JOB = JobConfiguration.newBuilder("job", 2)
            .shardingItemParameters("0=Zürich")
            .jobParameter("100%\r\nX-Evil: 1")
            .build();

    private final RunValues values = new RunValues(TestContext.of(JOB, Map.of("a b", "1&2", "c", "\"")));

    @Test
    void headersEncodeLineEndsAndNonAscii() {
        assertThat(values.headers())
                .containsEntry("Ostraka-Sharding-Item-Parameter", "Z%C3%BCrich")
                .containsEntry("Ostraka-Job-Parameter", "100%25%0D%0AX-Evil: 1")
                .containsEntry("Ostraka-Trigger-Parameters", "a+b=1%262&c=%22")
                .containsEntry("Ostraka-Fencing-Token", "7")
                .doesNotContainKey("Ostraka-Previous-Fire-Time");
    }

    @Test
    void environmentHasAllButTriggerParameters() {
        assertThat(values.environment())
                .containsOnly(
                        Map.entry("OSTRAKA_JOB_NAME", "job"),
                        Map.entry("OSTRAKA_RUN_ID", "run-1"),
                        Map.entry("OSTRAKA_FIRE_TIME", "2026-01-01T00:00:00Z"),
                        Map.entry("OSTRAKA_SHARDING_ITEM", "0"),
                        Map.entry("OSTRAKA_ITEM_KEY", "0"),
                        Map.entry("OSTRAKA_SHARDING_TOTAL_COUNT", "2"),
                        Map.entry("OSTRAKA_SHARDING_ITEM_PARAMETER", "Zürich"),
                        Map.entry("OSTRAKA_JOB_PARAMETER", "100%\r\nX-Evil: 1"),
                        Map.entry("OSTRAKA_ATTEMPT", "1"),
                        Map.entry("OSTRAKA_INSTANCE_ID", "a@1@1"),
                        Map.entry("OSTRAKA_ZONE", "north"),
                        Map.entry("OSTRAKA_FENCING_TOKEN", "7"),
                        Map.entry("OSTRAKA_GENERATION_TOKEN", "5"));
    }

    @Test
    void jsonTokensAreStrings() {
        assertThat(values.json())
                .isEqualTo("{\"jobName\":\"job\",\"runId\":\"run-1\",\"fireTime\":\"2026-01-01T00:00:00Z\","
                        + "\"shardingItem\":0,\"itemKey\":\"0\",\"shardingTotalCount\":2,\"shardingItemParameter\":\"Zürich\","
                        + "\"jobParameter\":\"100%\\r\\nX-Evil: 1\",\"attempt\":1,\"instanceId\":\"a@1@1\","
                        + "\"zone\":\"north\",\"fencingToken\":\"7\",\"generationToken\":\"5\","
                        + "\"triggerParameters\":{\"a b\":\"1&2\",\"c\":\"\\\"\"}}");
    }
}
