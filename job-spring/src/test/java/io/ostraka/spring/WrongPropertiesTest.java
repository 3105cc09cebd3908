package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Each wrong property fails the start before the application connects. The message names the property, the value and the
 * accepted values.
 */
class WrongPropertiesTest {
    @JobDefinition(name = "report", shardingTotalCount = 2, cron = "0 0 3 * * ?")
    static class Report implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    private static String refused(String... properties) {
        List<String> text = new ArrayList<>();
        Applications.unconnected()
                .withBean(Report.class)
                .withPropertyValues("ostraka.namespace=orders", "ostraka.zookeeper.connect-string=localhost:1")
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = new OstrakaFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis)
                            .as("analysis of " + context.getStartupFailure())
                            .isNotNull();
                    text.add(analysis.getDescription());
                });
        return text.get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
            sharding-total-count                | many          | a whole number
            sharding-total-count                | 0             | 1 to 100000
            scope                               | everywhere    | sharded, broadcast
            cron                                | every day     | cron
            time-zone                           | Berlin        | a time zone
            fixed-rate                          | fast          | a duration
            fixed-rate                          | 1ms           | from 10 ms
            fixed-delay                         | slow          | a duration
            continuous                          | -1s           | whole milliseconds
            once                                | tomorrow      | an instant
            start                               | soon          | an instant
            end                                 | 1900-01-01T00:00:00Z | from 1970
            jitter                              | some          | a duration
            excluded.weekdays                   | FUNDAY        | monday, tuesday
            excluded.windows                    | 22:00         | two times
            excluded.yearly                     | 13-32         | could not be parsed
            excluded.monthly                    | 32            | from 1 to 31
            sharding-item-parameters.7          | x             | items from 0 to 1
            sharding-item-parameters.x          | y             | a whole number
            paused                              | maybe         | true or false
            streaming                           | maybe         | true or false
            fence-epoch                         | 5000          | 0 to 2047
            revision                            | -1            | 0 or more
            required-instances                  | a &           | a &
            preferred-instances                 | (             | (
            max-items-per-instance              | -1            | 0 or more
            anti-affinity                       | report        | another job's name
            static-sharding                     | 2             | true or false
            restart-grace                       | -1s           | zero to 36500 days
            concurrency                         | -1            | 0 or more
            timeout                             | 0s            | a positive duration
            max-attempts                        | 0             | 1 or more
            quarantine-after                    | -1            | 0 or more
            shutdown-grace                      | -1s           | zero to 36500 days
            misfire                             | never         | fire-once, skip, or fire-all(n)
            misfire-threshold                   | 0s            | a positive duration
            catch-up-window                     | 0s            | a positive duration
            overlap                             | queue         | queue(n)
            retry.attempts                      | 0             | 1 or more
            retry.factor                        | 0             | 1 to 1000
            failover                            | sometimes     | true or false
            session-loss                        | ignore        | interrupt
            """)
    void valueOfAJobIsRefused(String property, String value, String accepted) {
        assertThat(refused("ostraka.jobs.report." + property + "=" + value))
                .contains("ostraka.jobs.report." + group(property))
                .contains(value)
                .containsIgnoringCase(accepted);
    }

    /** A rejected set names the property of the set, not of its element. */
    private static String group(String property) {
        return property.replaceAll("[.].*", "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
            ostraka.enabled                       | perhaps       | true or false
            ostraka.zookeeper.session-timeout     | long          | a duration
            ostraka.instance.weight               | heavy         | a whole number
            ostraka.concurrent-runs.quick         | all           | a whole number
            ostraka.virtual-threads               | maybe         | true or false
            ostraka.lifecycle.start               | later         | ready, refresh
            ostraka.lifecycle.phase               | last          | a whole number
            ostraka.allow.script-jobs             | some          | true or false
            """)
    void valueOfTheInstanceIsRefused(String property, String value, String accepted) {
        assertThat(refused(property + "=" + value)).contains(property, value, accepted);
    }

    @Test
    void labelOfAJobIsRefused() {
        assertThat(refused("ostraka.jobs.report.labels.[a b]=x"))
                .contains("ostraka.jobs.report.labels", "a b", "32 labels");
    }

    @Test
    void missingAddressIsExplained() {
        assertThat(refused("ostraka.zookeeper.connect-string="))
                .contains("ostraka.zookeeper.connect-string", "zk1:2181", "ostraka.zookeeper.embedded");
    }

    @Test
    void missingNamespaceIsExplained() {
        assertThat(refused("ostraka.namespace=")).contains("ostraka.namespace", "spring.application.name");
    }

    @Test
    void twoKindsOfScheduleAreRefused() {
        assertThat(refused("ostraka.jobs.report.cron=0 0 3 * * ?", "ostraka.jobs.report.fixed-rate=1s"))
                .contains("ostraka.jobs.report.cron", "ostraka.jobs.report.fixed-rate", "one of them");
    }

    @Test
    void unknownPropertyIsRefused() {
        assertThat(refused("ostraka.jobs.report.crom=0 0 3 * * ?"))
                .contains("ostraka.jobs.report.crom", "unknown; accepted: sharding-total-count, scope, cron,");
        assertThat(refused("ostraka.zookeper.embedded=true"))
                .contains("ostraka.zookeper.embedded", "unknown; accepted: enabled, namespace, zookeeper,");
        assertThat(refused("ostraka.zookeeper.tls.truststore-file=x"))
                .contains("unknown; accepted: trust-store, trust-store-password,");
    }

    @Test
    void propertiesOfAnUnknownJobAreRefused() {
        assertThat(refused("ostraka.jobs.repart.description=x"))
                .contains("ostraka.jobs.repart", "names no job of this application; its jobs: report");
    }
}
