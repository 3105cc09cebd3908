package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.HttpJob;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.ScriptJob;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** If a job or a property needs a power or a module that is missing, the start fails and names the property or the module. */
@Tag("spring")
class JobPowersTest {
    @Configuration(proxyBeanMethods = false)
    static class Script {
        @Bean
        @JobDefinition(name = "clean", shardingTotalCount = 1)
        ScriptJob cleaner() {
            return ScriptJob.command("/bin/true").build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Request {
        @Bean
        @JobDefinition(name = "close-books", shardingTotalCount = 1)
        HttpJob closing() {
            return HttpJob.request("POST", URI.create("http://billing.example.com:8080/close"))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Reporting {
        @ShardedJob(name = "report", shardingTotalCount = 1, errorHandler = "WEBHOOK")
        void report() {}
    }

    private static ApplicationContextRunner application(Class<?> jobs, String... properties) {
        return Applications.unconnected()
                .withUserConfiguration(jobs)
                .withPropertyValues(
                        "ostraka.namespace=orders",
                        "ostraka.zookeeper.connect-string=localhost:1",
                        "ostraka.lifecycle.start=refresh")
                .withPropertyValues(properties);
    }

    private static void refused(ApplicationContextRunner application, String description, String action) {
        application.run(context -> {
            FailureAnalysis analysis = Applications.analysis(context);
            assertThat(analysis.getDescription()).isEqualTo(description);
            assertThat(analysis.getAction()).isEqualTo(action);
        });
    }

    @Test
    void scriptIsRefusedWithTheNameOfTheProperty() {
        refused(
                application(Script.class),
                "Job 'clean', which is bean 'cleaner' of type io.ostraka.api.ScriptJob, is a script, but"
                        + " ostraka.allow.script-jobs is not true.",
                "Set ostraka.allow.script-jobs to true, or remove the job.");
        application(Script.class, "ostraka.allow.script-jobs=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void requestIsRefusedWithTheNameOfTheProperty() {
        String description = "Job 'close-books', which is bean 'closing' of type io.ostraka.api.HttpJob, sends requests"
                + " to billing.example.com:8080, which ostraka.allow.http-hosts does not allow.";
        refused(
                application(Request.class),
                description,
                "Add this host to ostraka.allow.http-hosts, which contains no host.");
        refused(
                application(Request.class, "ostraka.allow.http-hosts=a.example.com"),
                description,
                "Add this host to ostraka.allow.http-hosts, which contains a.example.com.");
        application(Request.class, "ostraka.allow.http-hosts=billing.example.com:8080")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void webhookWithoutATargetIsRefusedWithTheNamesOfTheProperties() {
        refused(
                application(Reporting.class),
                "Job 'report', which is method report of bean 'jobPowersTest.Reporting', has the error handler WEBHOOK,"
                        + " but this application has no webhook.",
                "Set ostraka.webhook.target and ostraka.webhook.secret, or choose another error handler.");
    }

    @Test
    void propertiesWithoutTheirModuleAreRefused() {
        application(
                        Reporting.class,
                        "ostraka.enabled=false",
                        "ostraka.allow.script-jobs=true",
                        "ostraka.webhook.target=http://x",
                        "ostraka.alarms.heartbeat.jobs.report=http://x")
                .run(context -> {
                    var places = new PropertyPlaces(BoundConfigurationProperties.get(context));
                    var needing = new JobPowers(context.getBean(OstrakaProperties.class)).needingModule(places);
                    assertThat(needing).hasSize(3).allMatch(each -> each.contains("from property source"));
                    FailureAnalysis analysis = new OstrakaFailureAnalyzer().analyze(JobPowers.withoutModule(needing));
                    assertThat(analysis.getDescription())
                            .startsWith("The class path does not have the artifact io.ostraka:ostraka-job-types, which"
                                    + " these properties need: ostraka.allow.script-jobs (")
                            .contains("ostraka.webhook.target (", "ostraka.alarms.heartbeat.jobs.report (");
                    assertThat(analysis.getAction())
                            .isEqualTo("Add this dependency, which the starters contain, or remove these properties.");
                });
    }
}
