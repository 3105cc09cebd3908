package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobOptions;
import io.ostraka.api.OnceListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of type {@link JobOptions} are the options of the jobs that they name. */
@Tag("spring")
class OptionBeansTest {
    /** Calls of listeners, interceptors and jobs, in the form {@code who job}. */
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();

    /** Records its calls. */
    record Recording(String name) implements RunInterceptor, OnceListener {
        @Override
        public int order() {
            return 0;
        }

        @Override
        public void before(ShardingContext context) {
            STEPS.add(name + " around " + context.jobName());
        }

        @Override
        public void beforeFirst(JobFire fire) {
            STEPS.add(name + " before " + fire.jobName());
        }
    }

    private static JobOptions options(String name) {
        return JobOptions.none().interceptors(new Recording(name)).listeners(new Recording(name));
    }

    @Configuration(proxyBeanMethods = false)
    static class Jobs {
        @ShardedJob(name = "of-method", shardingTotalCount = 1)
        void ofMethod() {
            STEPS.add("run of-method");
        }

        @Bean
        @JobDefinition(name = "of-bean", shardingTotalCount = 1)
        SimpleJob job() {
            return context -> STEPS.add("run of-bean");
        }

        @Bean
        SimpleJob ofProperties() {
            return context -> STEPS.add("run ofProperties");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Options {
        @Bean
        JobOptions ofMethod() {
            return options("first");
        }

        @Bean
        @Qualifier("of-bean") JobOptions second() {
            return options("second");
        }

        @Bean
        @Qualifier("ofProperties") JobOptions third() {
            return options("third");
        }
    }

    private static void trigger(ApplicationContext context, String job) {
        STEPS.clear();
        context.getBean(OstrakaLifecycle.class)
                .registry()
                .orElseThrow()
                .trigger(job, Map.of())
                .completion()
                .toCompletableFuture()
                .join();
    }

    @Test
    void eachJobHasTheOptionsThatNameIt() {
        Applications.connected()
                .withUserConfiguration(Jobs.class, Options.class)
                .withPropertyValues("ostraka.jobs.ofProperties.sharding-total-count=1")
                .run(context -> {
                    trigger(context, "of-method");
                    assertThat(STEPS)
                            .containsExactly("first before of-method", "first around of-method", "run of-method");
                    trigger(context, "of-bean");
                    assertThat(STEPS).containsExactly("second before of-bean", "second around of-bean", "run of-bean");
                    trigger(context, "ofProperties");
                    assertThat(STEPS)
                            .containsExactly(
                                    "third before ofProperties", "third around ofProperties", "run ofProperties");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OfUnknownJob {
        @Bean
        JobOptions nightly() {
            return JobOptions.none();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Twice {
        @Bean
        JobOptions ofMethod() {
            return JobOptions.none();
        }

        @Bean
        @Qualifier("of-method") JobOptions others() {
            return JobOptions.none();
        }
    }

    @Test
    void optionsWithoutAJobAreRefused() {
        refused(
                OfUnknownJob.class,
                "Bean 'nightly' of type JobOptions has the qualifier 'nightly', which names no job of this application.",
                "Annotate it with @Qualifier and the exact name of its job: one of of-method, of-bean, ofProperties.");
    }

    @Test
    void twoOptionsOfOneJobAreRefused() {
        refused(
                Twice.class,
                "Job 'of-method' has two beans of type JobOptions, 'ofMethod' and 'others'.",
                "Combine them into one.");
    }

    private static void refused(Class<?> options, String description, String action) {
        Applications.unconnected()
                .withUserConfiguration(Jobs.class, options)
                .withPropertyValues(
                        "ostraka.namespace=orders",
                        "ostraka.zookeeper.connect-string=localhost:1",
                        "ostraka.jobs.ofProperties.sharding-total-count=1")
                .run(context -> {
                    FailureAnalysis analysis = Applications.analysis(context);
                    assertThat(analysis.getDescription()).isEqualTo(description);
                    assertThat(analysis.getAction()).isEqualTo(action);
                });
    }
}
