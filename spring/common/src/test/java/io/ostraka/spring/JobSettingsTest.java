package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobField;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.lang.reflect.Method;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Properties, annotations and defaults together make the configuration of a job. */
@Tag("spring")
class JobSettingsTest {
    @JobDefinition(
            name = "nightly-report",
            shardingTotalCount = 4,
            cron = "0 0 3 * * ?",
            timeZone = "Europe/Berlin",
            description = "annotated",
            jobParameter = "annotated",
            errorHandler = "IGNORE")
    static class NightlyReport implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    private final ApplicationContextRunner application =
            Applications.connected().withBean(NightlyReport.class);

    private static EffectiveConfiguration effective(ApplicationContextRunner application, String... properties) {
        EffectiveConfiguration[] found = new EffectiveConfiguration[1];
        application.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            found[0] = context.getBean(OstrakaLifecycle.class).configurations().get("nightly-report");
        });
        return found[0];
    }

    @Test
    void propertyIsOverAnnotationOverDefaultsOverLibrary() {
        EffectiveConfiguration report = effective(
                application,
                "ostraka.jobs.nightly-report.sharding-total-count=8",
                "ostraka.jobs.nightly-report.description=property",
                "ostraka.defaults.description=default",
                "ostraka.defaults.job-parameter=default",
                "ostraka.defaults.shutdown-grace=12s");

        JobConfiguration configuration = report.configuration();
        assertThat(configuration.shardingTotalCount()).isEqualTo(8);
        assertThat(configuration.description()).isEqualTo("property");
        assertThat(configuration.jobParameter()).isEqualTo("annotated");
        assertThat(configuration.shutdownGrace()).isEqualTo(Duration.ofSeconds(12));
        assertThat(configuration.errorHandler()).isEqualTo("IGNORE");
        assertThat(configuration.maxAttempts()).isEqualTo(3);
        assertThat(kinds(report, "description", "jobParameter", "shutdownGrace", "maxAttempts"))
                .containsExactly(
                        EffectiveConfiguration.Kind.PROPERTY,
                        EffectiveConfiguration.Kind.ANNOTATION,
                        EffectiveConfiguration.Kind.DEFAULTS,
                        EffectiveConfiguration.Kind.LIBRARY);
        assertThat(report.sources().get("description").place())
                .startsWith("ostraka.jobs.nightly-report.description (")
                .contains("from property source");
        assertThat(report.sources().get("jobParameter").place()).contains("bean '", NightlyReport.class.getName());
        assertThat(report.origin())
                .contains("description=PROPERTY", "jobParameter=ANNOTATION", "shutdownGrace=DEFAULTS")
                .doesNotContain("maxAttempts", "LIBRARY");
    }

    private static List<EffectiveConfiguration.Kind> kinds(EffectiveConfiguration job, String... fields) {
        return Arrays.stream(fields)
                .map(field -> job.sources().get(field).kind())
                .toList();
    }

    @Test
    void everyFieldHasAProperty() {
        Set<String> fields = JobConfiguration.fields().stream()
                .map(JobField::name)
                .filter(name -> !Set.of("jobName", "schedule").contains(name))
                .collect(Collectors.toSet());
        Set<String> schedule = Set.of(
                "cron",
                "timeZone",
                "fixedRate",
                "fixedDelay",
                "adaptive",
                "continuous",
                "once",
                "start",
                "end",
                "jitter",
                "excluded");

        assertThat(JobPropertyReaders.ALL.keySet()).isEqualTo(fields);
        assertThat(Arrays.stream(JobProperties.class.getRecordComponents())
                        .map(component -> component.getName())
                        .filter(name -> !schedule.contains(name)))
                .containsExactlyInAnyOrderElementsOf(fields);
    }

    @Test
    void methodsHaveTheAnnotationOfClasses() {
        Set<String> ofClasses = Arrays.stream(JobDefinition.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !name.equals("streaming")) // only dataflow jobs, which are classes
                .collect(Collectors.toSet());

        assertThat(Arrays.stream(ShardedJob.class.getDeclaredMethods()).map(Method::getName))
                .containsExactlyInAnyOrderElementsOf(ofClasses);
        for (Method attribute : ShardedJob.class.getDeclaredMethods()) {
            Object other = Arrays.stream(JobDefinition.class.getDeclaredMethods())
                    .filter(each -> each.getName().equals(attribute.getName()))
                    .findFirst()
                    .orElseThrow()
                    .getDefaultValue();
            assertThat(attribute.getDefaultValue()).as(attribute.getName()).isEqualTo(other);
        }
    }

    @Test
    void propertyReplacesOnePartOfTheSchedule() {
        Schedule schedule = effective(
                        application,
                        "ostraka.jobs.nightly-report.time-zone=Asia/Tokyo",
                        "ostraka.jobs.nightly-report.jitter=30s",
                        "ostraka.jobs.nightly-report.excluded.weekdays=SATURDAY,SUNDAY",
                        "ostraka.jobs.nightly-report.excluded.windows=22:00-02:00",
                        "ostraka.jobs.nightly-report.excluded.yearly=12-24")
                .configuration()
                .schedule();

        assertThat(schedule.unbounded()).isEqualTo(Schedule.cron("0 0 3 * * ?", ZoneId.of("Asia/Tokyo")));
        Schedule.Bounded bounded = (Schedule.Bounded) schedule;
        assertThat(bounded.jitter()).isEqualTo(Duration.ofSeconds(30));
        assertThat(bounded.excluded().zone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
        assertThat(bounded.excluded().weekdays()).containsExactly(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY);
        assertThat(bounded.excluded().yearly()).hasSize(1);
        assertThat(bounded.excluded().windows().get(0).from()).isEqualTo(LocalTime.of(22, 0));
    }

    @Test
    void propertyReplacesTheKindOfSchedule() {
        assertThat(scheduleWith("fixed-rate=10s")).isEqualTo(Schedule.fixedRate(Duration.ofSeconds(10)));
        assertThat(scheduleWith("fixed-delay=PT1M")).isEqualTo(Schedule.fixedDelay(Duration.ofMinutes(1)));
        assertThat(scheduleWith("continuous=2s")).isEqualTo(Schedule.continuous(Duration.ofSeconds(2)));
        assertThat(scheduleWith("once=2030-01-01T00:00:00Z")).isInstanceOf(Schedule.Once.class);
        assertThat(scheduleWith("cron=-")).isEqualTo(Schedule.onDemand());
        assertThat(effective(
                                application,
                                "ostraka.jobs.nightly-report.adaptive.base=5s",
                                "ostraka.jobs.nightly-report.adaptive.bound=4")
                        .configuration()
                        .schedule())
                .isEqualTo(Schedule.adaptive(Duration.ofSeconds(5), 4));
    }

    private Schedule scheduleWith(String property) {
        return effective(application, "ostraka.jobs.nightly-report." + property)
                .configuration()
                .schedule();
    }

    @Test
    void policiesMapsAndConditionsAreParsed() {
        JobConfiguration report = effective(
                        application,
                        "ostraka.jobs.nightly-report.misfire=fire-all(3)",
                        "ostraka.jobs.nightly-report.overlap=cancelRunning",
                        "ostraka.jobs.nightly-report.retry.attempts=5",
                        "ostraka.jobs.nightly-report.retry.initial=2s",
                        "ostraka.jobs.nightly-report.sharding-item-parameters.0=north",
                        "ostraka.jobs.nightly-report.sharding-item-parameters.1=south",
                        "ostraka.jobs.nightly-report.labels.owner=payments",
                        "ostraka.jobs.nightly-report.required-instances=gpu & !batch")
                .configuration();

        assertThat(report.misfire()).isEqualTo(MisfirePolicy.fireAll(3));
        assertThat(report.overlap()).isEqualTo(OverlapPolicy.cancelRunning());
        assertThat(report.retry().attempts()).isEqualTo(5);
        assertThat(report.retry().initial()).isEqualTo(Duration.ofSeconds(2));
        assertThat(report.shardingItemParameters()).isEqualTo(Map.of(0, "north", 1, "south"));
        assertThat(report.labels()).isEqualTo(Map.of("owner", "payments"));
        assertThat(report.requiredInstances()).isPresent();
    }

    @Test
    void durationsInPoliciesHaveTheFormOfOtherProperties() {
        assertThat(historyWith("SLOW(10s)")).isEqualTo(HistoryLevel.slow(Duration.ofSeconds(10)));
        assertThat(historyWith("slow(500ms)")).isEqualTo(HistoryLevel.slow(Duration.ofMillis(500)));
        assertThat(historyWith("SLOW(PT1M)")).isEqualTo(HistoryLevel.slow(Duration.ofMinutes(1)));
        assertThat(historyWith("failures")).isEqualTo(HistoryLevel.FAILURES);
        assertThat(effective(application, "ostraka.jobs.nightly-report.alarms=MISSED=10m, FAILING=3 LATE=PT5M")
                        .configuration()
                        .alarms())
                .isEqualTo(AlarmPolicy.defaults()
                        .after(AlarmKind.MISSED, Duration.ofMinutes(10))
                        .failuresInARow(3)
                        .after(AlarmKind.LATE, Duration.ofMinutes(5)));
    }

    private HistoryLevel historyWith(String level) {
        return effective(application, "ostraka.jobs.nightly-report.history=" + level)
                .configuration()
                .history();
    }

    @Test
    void jobNameInAnEnvironmentVariableNeedsNoHyphens() {
        ApplicationContextRunner withVariable = application.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        Map.of("OSTRAKA_JOBS_NIGHTLYREPORT_DESCRIPTION", "environment"))));

        assertThat(effective(withVariable).configuration().description()).isEqualTo("environment");
        JobConfiguration both = effective(
                        withVariable,
                        "ostraka.jobs.nightly-report.description=property",
                        "ostraka.jobs.nightly-report.job-parameter=property")
                .configuration();
        assertThat(both.description()).isEqualTo("environment");
        assertThat(both.jobParameter()).isEqualTo("property");
    }

    @Test
    void propertiesReplacePartsOfTheRetries() {
        RetryPolicy retry = effective(
                        application,
                        "ostraka.defaults.retry.attempts=3",
                        "ostraka.defaults.retry.factor=4",
                        "ostraka.jobs.nightly-report.retry.initial=5s")
                .configuration()
                .retry();

        assertThat(retry).isEqualTo(RetryPolicy.attempts(3).backoff(Duration.ofSeconds(5), 4, Duration.ofMinutes(1)));
    }

    @Test
    void propertiesReplaceMaps() {
        assertThat(effective(
                                application,
                                "ostraka.defaults.labels.owner=payments",
                                "ostraka.jobs.nightly-report.labels.stage=test")
                        .configuration()
                        .labels())
                .isEqualTo(Map.of("stage", "test"));
    }

    @JobDefinition(name = "import-1", shardingTotalCount = 1)
    static class Import implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    @JobDefinition(name = "import1", shardingTotalCount = 1)
    static class OtherImport extends Import {}

    @Test
    void exactNameOfAJobBelongsToThisJobAlone() {
        ApplicationContextRunner twoImports = application.withBean(Import.class).withBean(OtherImport.class);

        twoImports.withPropertyValues("ostraka.jobs.import1.paused=true").run(context -> {
            var jobs = context.getBean(OstrakaLifecycle.class).configurations();
            assertThat(jobs.get("import1").configuration().paused()).isTrue();
            assertThat(jobs.get("import-1").configuration().paused()).isFalse();
        });
        twoImports.withPropertyValues("ostraka.jobs.imp-ort1.paused=true").run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("could name several jobs")
                .hasMessageContaining("import-1, import1"));
    }

    @JobDefinition(name = "Legacy.Job_1", shardingTotalCount = 1)
    static class Legacy extends Import {}

    @Test
    void propertyOfAJobWithADotInItsNameHasAPlace() {
        application
                .withBean(Legacy.class)
                .withPropertyValues("ostraka.jobs.[Legacy.Job_1].description=x")
                .run(context -> assertThat(context.getBean(OstrakaLifecycle.class)
                                .configurations()
                                .get("Legacy.Job_1")
                                .sources()
                                .get("description")
                                .place())
                        .contains("from property source"));
    }
}
