package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Each wrong property fails the start. The message names the property, the value and the
 * accepted values.
 */
class WrongPropertiesTest {
    private static final String OF_JOB =
            """
            sharding-total-count                | many          | 'many'; accepted: a whole number
            sharding-total-count                | 0             | '0'.*1 to 100000
            scope                               | everywhere    | 'everywhere'; accepted: sharded, broadcast
            cron                                | every day     | 'every day'.*cron
            cron                                | 0 0 6 * * *   | '0 0 6 . . .'.*write 0 0 6 . . \\?\\)
            excluded.crons                      | * * 6 * * *   | write . . 6 . . \\?
            time-zone                           | Berlin        | 'Berlin'; accepted: a time zone
            fixed-rate                          | fast          | 'fast'; accepted: a duration
            fixed-rate                          | 1ms           | PT0.001S; accepted: .*from 10 ms
            fixed-delay                         | slow          | 'slow'; accepted: a duration
            adaptive.base                       | 1s            | base is PT1S and bound is null; accepted: both
            adaptive.bound                      | 4             | base is null and bound is 4; accepted: both
            continuous                          | -1s           | PT-1S.*whole milliseconds
            once                                | tomorrow      | 'tomorrow'; accepted: an instant
            start                               | soon          | 'soon'; accepted: an instant
            end                                 | 1900-01-01T00:00:00Z | 1900-01-01T00:00:00Z.*from 1970
            jitter                              | some          | 'some'; accepted: a duration
            excluded.weekdays                   | FUNDAY        | 'FUNDAY'; accepted: monday, tuesday
            excluded.dates                      | 24.12.        | '24.12.'; accepted: a date
            excluded.windows                    | 22:00         | '22:00'; accepted: two times
            excluded.yearly                     | 13-32         | 13-32' could not be parsed
            excluded.monthly                    | 32            | 32.*from 1 to 31
            excluded.crons                      | always        | 'always'
            sharding-item-parameters.7          | x             | '7=…'; accepted: items from 0 to 1
            sharding-item-parameters.x          | y             | 'x'; accepted: a whole number
            labels.[a b]                        | x             | a b=x.*32 labels
            history                             | SOME          | 'SOME'.*ALL, FAILURES, SLOW
            history                             | SLOW(10)      | 'SLOW\\(10\\)'; accepted: ALL, FAILURES, SLOW
            history                             | SLOW(10x)     | 'SLOW\\(10x\\)'; accepted: ALL, FAILURES, SLOW
            alarms                              | MISSED=10     | 'MISSED=10'; accepted: 'default', 'off'
            alarms                              | MISSED=x      | 'MISSED=x'; accepted: 'default', 'off'
            paused                              | maybe         | 'maybe'; accepted: true or false
            pause-reason                        | a\tb          | accepted: at most 500 characters without control
            streaming                           | maybe         | 'maybe'; accepted: true or false
            fence-epoch                         | 5000          | '5000'.*0 to 2047
            revision                            | -1            | '-1'.*0 or more
            required-instances                  | a &           | 'a &' is not a condition: .* the text ends there
            preferred-instances                 | (             | '\\(' is not a condition: .* the text ends there
            max-items-per-instance              | -1            | '-1'.*0 or more
            anti-affinity                       | report        | 'report'.*another job's name
            static-sharding                     | 2             | '2'; accepted: true or false
            restart-grace                       | -1s           | PT-1S.*zero to 36500 days
            concurrency                         | -1            | '-1'.*0 or more
            timeout                             | 0s            | PT0S.*a positive duration
            max-attempts                        | 0             | '0'.*1 or more
            quarantine-after                    | -1            | '-1'.*0 or more
            shutdown-grace                      | -1s           | PT-1S.*zero to 36500 days
            misfire                             | never         | 'never'.*fire-once, skip, or fire-all
            misfire-threshold                   | 0s            | PT0S.*a positive duration
            catch-up-window                     | 0s            | PT0S.*a positive duration
            overlap                             | queue         | 'queue'.*queue\\(n\\)
            retry.attempts                      | 0             | attempts is 0; accepted: 1 or more
            retry.initial                       | 2m            | PT2M; accepted: zero to PT1M
            retry.factor                        | 0             | factor is 0.0; accepted: 1 to 1000
            retry.max                           | 40000d        | PT960000H; accepted: at most
            retry.jitter                        | 2             | jitter is 2.0; accepted: 0 to 1
            failover                            | sometimes     | 'sometimes'; accepted: true or false
            session-loss                        | ignore        | 'ignore'.*interrupt
            sharding-strategy                   | NOPE          | 'NOPE'; accepted: one of .AVG_ALLOCATION, .*ROUND_ROBIN
            error-handler                       | NOPE          | 'NOPE'; accepted: one of .IGNORE, LOG
            """;

    private static final String OF_INSTANCE =
            """
            ostraka.enabled                       | perhaps       | 'perhaps'; accepted: true or false
            ostraka.namespace                     | a/b           | 'a/b'; accepted:
            ostraka.zookeeper.connect-string      | :             | ':'.*accepted: host:port
            ostraka.zookeeper.chroot              | a b/          | a b/'.*accepted: host:port
            ostraka.zookeeper.session-timeout     | long          | 'long'; accepted: a duration
            ostraka.zookeeper.session-timeout     | -1s           | PT-1S; accepted: 1 ms to 24 days
            ostraka.zookeeper.connection-timeout  | 0s            | PT0S; accepted: 1 ms to 24 days
            ostraka.zookeeper.retry-pause         | 25d           | PT600H; accepted: 1 ms to 24 days
            ostraka.zookeeper.operation-timeout   | -1s           | PT-1S; accepted: 1 ms to 24 days
            ostraka.zookeeper.digest.user         | a:b           | missing or blank; accepted: values for all of ostraka.zookeeper.digest
            ostraka.zookeeper.digest.password     | x             | missing or blank; accepted: values for all of ostraka.zookeeper.digest
            ostraka.zookeeper.sasl                | ` `           | blank; accepted: the name of a section
            ostraka.zookeeper.open-access         | maybe         | 'maybe'; accepted: true or false
            ostraka.zookeeper.embedded            | maybe         | 'maybe'; accepted: true or false
            ostraka.instance.name                 | a b           | 'a b'; accepted:
            ostraka.instance.weight               | heavy         | 'heavy'; accepted: a whole number
            ostraka.instance.weight               | 0             | weight is 0; accepted: 1 or more
            ostraka.concurrent-runs.quick         | all           | 'all'; accepted: a whole number
            ostraka.concurrent-runs.quick         | 0             | 0 and 128; accepted: 1 or more
            ostraka.concurrent-runs.slow          | -1            | 256 and -1; accepted: 1 or more
            ostraka.concurrent-runs.tasks         | 0             | is 0; accepted: 1 or more
            ostraka.virtual-threads               | maybe         | 'maybe'; accepted: true or false
            ostraka.lifecycle.start               | later         | 'later'; accepted: ready, refresh
            ostraka.lifecycle.phase               | last          | 'last'; accepted: a whole number
            ostraka.lifecycle.fail-fast           | -1s           | PT-1S; accepted: 1 ms to 24 days
            ostraka.allow.script-jobs             | some          | 'some'; accepted: true or false
            ostraka.allow.http-hosts              | a b           | 'a b' is not accepted; accepted: a name or an address
            ostraka.allow.private-hosts           | x/y           | 'x/y' is not accepted; accepted: a name or an address
            ostraka.webhook.target                | ftp://x       | missing or blank; accepted: values for all of ostraka.webhook
            ostraka.webhook.secret                | x             | missing or blank; accepted: values for all of ostraka.webhook
            ostraka.alarms.webhook.target         | http://x      | missing or blank; accepted: values for all of ostraka.alarms.webhook
            ostraka.alarms.webhook.secret         | x             | missing or blank; accepted: values for all of ostraka.alarms.webhook
            ostraka.alarms.webhook.template       | irc           | 'irc'; accepted: discord, google-chat
            ostraka.alarms.heartbeat.target       | ftp://x       | the scheme is ftp
            ostraka.alarms.heartbeat.interval     | 0s            | PT0S; accepted: 1 second to 1 day
            ostraka.alarms.heartbeat.jobs.repart  | http://x      | 'repart' names no job of this application; its jobs: report
            ostraka.console.enabled               | perhaps       | 'perhaps'; accepted: true or false
            ostraka.console.mask-parameters       | perhaps       | 'perhaps'; accepted: true or false
            ostraka.console.allow-anonymous-viewer | perhaps      | 'perhaps'; accepted: true or false
            """;

    private static final String OF_PLATFORM =
            """
            ostraka.remote.url                    | ftp://user:hunter2@x | accepted: https://HOST
            ostraka.remote.url                    | http://a b/hunter2   | not a URI
            ostraka.remote.url                    | http://platform/     | http only for this machine
            ostraka.remote.application            | a b           | 'a b'; accepted:
            ostraka.remote.environment            | a/b           | 'a/b'; accepted:
            ostraka.remote.key-id                 | a b           | 'a b'; accepted:
            ostraka.remote.key-id                 | ` `           | missing or blank; accepted: the id
            ostraka.remote.key                    | hunter2       | accepted: 32 or more random bytes in Base64
            ostraka.remote.key                    | hunter2?      | accepted: 32 or more random bytes in Base64
            ostraka.remote.key                    | ` `           | missing or blank; accepted: 32 or more random bytes
            ostraka.remote.trusted-keys.p1        | hunter2       | accepted: a public key of Ed25519
            ostraka.remote.trusted-keys.[a b]     | x             | 'a b'; accepted:
            ostraka.remote.poll-interval          | 10ms          | PT0.01S; accepted: PT1S to PT1H
            ostraka.remote.timeout                | never         | 'never'; accepted: a duration
            ostraka.remote.timeout                | 1h            | PT1H; accepted: PT0.1S to PT5M
            ostraka.remote.cache.max-age          | 0s            | PT0S; accepted: PT1S to
            ostraka.remote.allow.fields           | errorHandler  | 'errorHandler' is no field that a platform may set; accepted:
            ostraka.remote.secrets.[a b]          | hunter2       | 'a b'; accepted:
            ostraka.remote.ssl-bundle             | platform      | no SSL bundles; accepted: the name of a bundle
            """;

    /** Properties that accept every text. */
    private static final Set<String> ANY = Set.of(
            "ostraka.zookeeper.tls.trust-store",
            "ostraka.zookeeper.tls.trust-store-password",
            "ostraka.zookeeper.tls.key-store",
            "ostraka.zookeeper.tls.key-store-password",
            "ostraka.zookeeper.embedded-directory",
            "ostraka.console.hosts", // refused in a web application alone: ConsoleTest
            "ostraka.instance.zone",
            "ostraka.instance.tags",
            "ostraka.remote.cache.directory",
            "ostraka.remote.allow.jobs",
            "ostraka.remote.allow.servers",
            "ostraka.defaults.job-parameter",
            "ostraka.defaults.description",
            "ostraka.jobs"); // propertiesOfAnUnknownJobAreRefused

    @JobDefinition(name = "report", shardingTotalCount = 2, cron = "0 0 3 * * ?")
    static class Report implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    private static String refused(String... properties) {
        return refused(Report.class, properties);
    }

    private static String refused(Class<?> bean, String... properties) {
        List<String> text = new ArrayList<>();
        Applications.unconnected()
                .withBean(bean)
                .withPropertyValues(
                        "ostraka.namespace=orders",
                        "ostraka.zookeeper.connect-string=localhost:1",
                        "ostraka.lifecycle.start=refresh")
                .withPropertyValues(properties)
                .run(context -> text.add(Applications.analysis(context).getDescription()));
        return text.get(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = OF_JOB)
    void valueOfAJobIsRefused(String property, String value, String accepted) {
        assertThat(refused("ostraka.jobs.report." + property + "=" + value))
                .contains("ostraka.jobs.report." + group(property))
                .containsPattern(Pattern.compile(accepted, Pattern.DOTALL));
    }

    /** A rejected set names the property of the set, not of its element. */
    private static String group(String property) {
        return property.replaceAll("[.].*", "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = OF_INSTANCE)
    void valueOfTheInstanceIsRefused(String property, String value, String accepted) {
        assertThat(refused(property + "=" + value))
                .contains("property " + property.replaceAll("(digest|webhook)[.](?!template).*", "$1"))
                .containsPattern(Pattern.compile(accepted, Pattern.DOTALL));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = OF_PLATFORM)
    void valueOfThePlatformIsRefused(String property, String value, String accepted) {
        assertThat(refused(ofPlatform(property + "=" + value)))
                .contains("property " + property.replaceAll("[.]?\\[.*", ""))
                .contains("(")
                .containsPattern(Pattern.compile(accepted, Pattern.DOTALL))
                .doesNotContain("hunter2");
    }

    private static String[] ofPlatform(String... more) {
        return Stream.concat(Stream.of(PlatformServer.properties("http://localhost:1")), Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void missingPropertyOfThePlatformIsExplained() {
        String url = "ostraka.remote.url=https://localhost:1";
        assertThat(refused(url)).contains("ostraka.remote.application is missing", "spring.application.name is used");
        assertThat(refused(url, "spring.application.name=orders")).contains("ostraka.remote.key-id is missing");
        assertThat(refused(url, "ostraka.remote.application=orders", "ostraka.remote.key-id=orders-1"))
                .contains("ostraka.remote.key is missing");
        assertThat(refused(
                        url,
                        "ostraka.remote.application=orders",
                        "ostraka.remote.key-id=orders-1",
                        "ostraka.remote.key=hunter2"))
                .contains("ostraka.remote.trusted-keys is missing", "ostraka.remote.trusted-keys.p1")
                .doesNotContain("hunter2");
    }

    @Test
    void everyPropertyIsWrongOnce() {
        Set<String> wrong = Stream.of(
                        OF_JOB.lines().map(line -> JobSettings.DEFAULTS + "." + line),
                        OF_INSTANCE.lines(),
                        OF_PLATFORM.lines())
                .flatMap(lines -> lines)
                .map(line -> line.replaceAll(" .*", "")
                        .replaceAll("(labels|parameters|heartbeat.jobs|trusted-keys|secrets)[.].*", "$1"))
                .collect(Collectors.toCollection(TreeSet::new));
        wrong.addAll(ANY);

        assertThat(SpringDocumentsTest.properties()).containsExactlyInAnyOrderElementsOf(wrong);
    }

    @Test
    void partOfAGroupIsRefused() {
        assertThat(refused("ostraka.zookeeper.digest.user=orders"))
                .contains("property ostraka.zookeeper.digest.password is missing or blank");
        assertThat(refused("ostraka.zookeeper.digest.user=orders", "ostraka.zookeeper.digest.password= "))
                .contains("property ostraka.zookeeper.digest.password (", "is missing or blank");
        assertThat(refused("ostraka.zookeeper.digest.password=x")).contains("ostraka.zookeeper.digest.user is missing");
        assertThat(refused("ostraka.zookeeper.digest.user=a:b", "ostraka.zookeeper.digest.password=x"))
                .contains("ostraka.zookeeper.digest.user (", "'a:b'; accepted: a name without a colon");
        assertThat(refused("ostraka.webhook.target=http://x")).contains("ostraka.webhook.secret is missing");
        assertThat(refused("ostraka.webhook.secret=x")).contains("ostraka.webhook.target is missing");
        assertThat(refused("ostraka.webhook.target=ftp://x", "ostraka.webhook.secret=x"))
                .contains("ostraka.webhook.target (", "the scheme is ftp");
    }

    @Test
    void alarmDestinationThatCannotWorkIsRefused() {
        String target = "ostraka.alarms.webhook.target=https://hooks.slack.com/services/x9";
        assertThat(refused("ostraka.alarms.webhook.template=pagerduty", target))
                .contains("ostraka.alarms.webhook.secret is missing");
        assertThat(refused("ostraka.alarms.webhook.template=slack"))
                .contains("ostraka.alarms.webhook.target is missing");
        assertThat(refused(target)).contains("ostraka.alarms.webhook.secret is missing");
        assertThat(refused("ostraka.alarms.webhook.template=slack", "ostraka.alarms.webhook.target=ftp://x/x9"))
                .contains("ostraka.alarms.webhook.target (", "the scheme is ftp")
                .doesNotContain("x9");
        assertThat(refused("ostraka.alarms.webhook.template=slack", "ostraka.alarms.webhook.target=https://a b/x9"))
                .contains("ostraka.alarms.webhook.target (", "this is not a URI", "accepted: http")
                .doesNotContain("x9");
        assertThat(refused("ostraka.alarms.webhook.template=classpath:none.json", target))
                .contains("ostraka.alarms.webhook.template (", "'classpath:none.json'", "cannot be read", "slack");
        assertThat(refused("ostraka.alarms.webhook.template=classpath:alarm-unknown.json", target))
                .contains("ostraka.alarms.webhook.template (", "'${jobb}'; accepted: ${id}");
        assertThat(refused("ostraka.alarms.webhook.template=classpath:alarm-broken.json", target))
                .contains("ostraka.alarms.webhook.", "not JSON");
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void virtualThreadsAreRefusedOnAnOldJdk() {
        assertThat(refused("ostraka.virtual-threads=true")).contains("property ostraka.virtual-threads (", "JDK 21");
    }

    @Test
    void passwordIsNotShown() {
        assertThat(refused("ostraka.zookeeper.digest=user:verysecret"))
                .contains("property ostraka.zookeeper.digest is a group; accepted below it: user, password")
                .doesNotContain("verysecret");
        assertThat(refused("ostraka.zookeeper.digest=${DIGEST}", "DIGEST=user:verysecret"))
                .doesNotContain("verysecret");
        assertThat(refused("ostraka.remote=verysecret"))
                .contains("property ostraka.remote is a group; accepted below it: url, application,")
                .doesNotContain("verysecret");
        assertThat(refused("ostraka.remote.secrets=verysecret"))
                .contains("property ostraka.remote.secrets (", "accepted: properties below it")
                .doesNotContain("verysecret");
        assertThat(refused("ostraka.remote.key.p1=verysecret"))
                .contains("property ostraka.remote.key.p1 (", "is unknown; accepted: url, application,")
                .doesNotContain("verysecret");
    }

    @Test
    void placeholderIsResolved() {
        assertThat(refused("ostraka.jobs.report.sharding-total-count=${ITEMS}", "ITEMS=many"))
                .contains("is 'many'; accepted: a whole number");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ostraka.jobs.report.timeout",
                "ostraka.jobs.report.adaptive.base",
                "ostraka.defaults.retry.initial",
                "ostraka.zookeeper.session-timeout",
                "ostraka.lifecycle.fail-fast",
                "ostraka.alarms.heartbeat.interval",
                "ostraka.remote.cache.max-age"
            })
    void durationWithoutAUnitIsRefused(String property) {
        String accepted = " is '10'; accepted: a duration with a unit, such as 500ms, 10s, 5m or PT10S";
        assertThat(refused(property + "=10"))
                .startsWith("property " + property + " (")
                .endsWith(accepted);
        assertThat(refused(property + "=${LIMIT}", "LIMIT=10")).endsWith(accepted);
    }

    @Test
    void durationsOfOtherPropertiesNeedNoUnit() {
        Applications.unconnected()
                .withUserConfiguration(OfAnotherLibrary.class)
                .withPropertyValues("ostraka.enabled=false", "other.timeout=10")
                .run(context ->
                        assertThat(context.getBean(Other.class).timeout()).isEqualTo(Duration.ofMillis(10)));
    }

    @ConfigurationProperties("other")
    record Other(Duration timeout) {}

    @EnableConfigurationProperties(Other.class)
    static class OfAnotherLibrary {}

    @Test
    void pausesOfRetriesWithoutRetriesAreRefused() {
        assertThat(refused("ostraka.jobs.report.retry.initial=5s"))
                .contains("ostraka.jobs.report.retry.initial (", "attempts is 1; accepted: 2 or more");
    }

    @Test
    void tagThatCannotBeStoredIsRefused() {
        assertThat(refused("ostraka.instance.tags.rack=" + "x".repeat(20_000)))
                .startsWith("property ostraka.instance.tags.rack (");
    }

    @Test
    void serverThatDoesNotAnswerIsExplained() {
        Applications.unconnected()
                .withPropertyValues(
                        "ostraka.namespace=orders",
                        "ostraka.zookeeper.connect-string=localhost:1",
                        "ostraka.lifecycle.fail-fast=10ms")
                .run(context -> {
                    FailureAnalysis analysis = Applications.analysis(context);
                    assertThat(analysis.getDescription())
                            .startsWith("Could not register with ZooKeeper at localhost:1 within PT0.01S");
                    assertThat(analysis.getAction())
                            .startsWith(
                                    "Check that these ZooKeeper servers answer, or remove ostraka.lifecycle.fail-fast (");
                });
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

    static class OfUnknownHandler {
        @ShardedJob(name = "wrong", shardingTotalCount = 1, errorHandler = "NOPE")
        void run() {}
    }

    static class OfUnknownStrategy {
        @ShardedJob(name = "wrong", shardingTotalCount = 1, shardingStrategy = "NOPE")
        void run() {}
    }

    @Test
    void unknownHandlerOrStrategyOfAnAnnotationIsRefused() {
        assertThat(refused(OfUnknownHandler.class))
                .startsWith("job 'wrong': errorHandler is 'NOPE'; accepted: one of [IGNORE, LOG");
        assertThat(refused(OfUnknownStrategy.class))
                .startsWith("job 'wrong': shardingStrategy is 'NOPE'; accepted: one of [AVG_ALLOCATION, ");
    }

    @Test
    void propertiesOfAnUnknownJobAreRefused() {
        assertThat(refused("ostraka.jobs.repart.description=x"))
                .contains("ostraka.jobs.repart", "names no job of this application; its jobs: report");
    }
}
