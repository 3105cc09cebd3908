package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Beans extend the instance, and each run has its identity in the MDC and an observation. */
@Tag("spring")
class ExtensionsTest {
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();
    private static final List<String> LISTENED = new CopyOnWriteArrayList<>();
    private static final AtomicReference<ObservationRegistry> REGISTRY = new AtomicReference<>();
    private static final Semaphore HANDLED = new Semaphore(0);

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        @Order(2)
        RunInterceptor second() {
            return new Named("second");
        }

        @Bean
        @Order(1)
        RunInterceptor first() {
            return new Named("first");
        }

        @Bean
        JobErrorHandler handler() {
            return new JobErrorHandler() {
                @Override
                public String type() {
                    return "TEST";
                }

                @Override
                public void handle(ItemFailure failure, Throwable thrown) {
                    STEPS.add("handled " + thrown.getMessage() + " of item " + MDC.get("ostraka.item") + " of "
                            + MDC.get("ostraka.job"));
                    assertThat(MDC.get("ostraka.runId")).isEqualTo(failure.runId());
                    HANDLED.release();
                }
            };
        }

        @Bean
        JobListener listener() {
            return new JobListener() {
                @Override
                public void beforeFire(JobFire fire) {
                    assertThat(MDC.get("ostraka.job")).isEqualTo("report");
                    LISTENED.add(fire.runId() + " " + MDC.get("ostraka.runId") + " " + MDC.get("ostraka.item"));
                }
            };
        }

        @Bean
        RegistryBuilderCustomizer zone() {
            return builder -> builder.zone("north");
        }

        @Bean
        @JobDefinition(name = "report", shardingTotalCount = 1, errorHandler = "TEST")
        SimpleJob report() {
            return new Report();
        }
    }

    static final class Report implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            if (context.triggerParameters().containsKey("observed")) {
                context.tasks()
                        .submit(() -> Observation.start("call", REGISTRY.get()).stop());
                return;
            }
            if (context.triggerParameters().containsKey("tasks")) {
                context.tasks().submit(() -> STEPS.add("task of " + MDC.get("ostraka.job")));
                return;
            }
            STEPS.add("code of item " + MDC.get("ostraka.item") + " of " + MDC.get("ostraka.job") + " in "
                    + context.zone());
            assertThat(MDC.get("ostraka.runId")).isEqualTo(context.runId());
            assertThat(MDC.get("ostraka.token")).isEqualTo(Long.toString(context.fencingToken()));
            assertThat(MDC.get("ostraka.attempt")).isEqualTo("1");
            assertThat(MDC.get("ostraka.fire")).isEqualTo(context.fireTime().toString());
            if (context.triggerParameters().containsKey("fail")) {
                throw new IllegalStateException("wanted");
            }
        }
    }

    record Named(String name) implements RunInterceptor {
        @Override
        public void before(ShardingContext context) {
            STEPS.add(name);
        }
    }

    /** Records the observations that have ended. */
    static class Recorder implements ObservationHandler<Observation.Context> {
        final List<String> ended = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStop(Observation.Context context) {
            ended.add(context.getName() + " "
                    + context.getLowCardinalityKeyValue("job").getValue() + " " + context.getError());
        }
    }

    private static void trigger(ApplicationContext context, Map<String, String> parameters) {
        context.getBean(OstrakaLifecycle.class)
                .registry()
                .orElseThrow()
                .trigger("report", parameters)
                .completion()
                .toCompletableFuture()
                .join();
    }

    @Test
    void beansExtendTheInstanceInTheirOrder() {
        Applications.connected().withUserConfiguration(Application.class).run(context -> {
            STEPS.clear();
            trigger(context, Map.of());
            assertThat(STEPS).containsExactly("first", "second", "code of item 0 of report in north");
            STEPS.clear();
            HANDLED.drainPermits();
            trigger(context, Map.of("fail", "yes"));
            HANDLED.acquireUninterruptibly(); // the completion of the run does not wait for the handler
            assertThat(STEPS)
                    .containsExactly(
                            "first",
                            "second",
                            "code of item 0 of report in north",
                            "handled wanted of item 0 of report");
        });
    }

    /** Two versions of the application run at the same time; the later registration is in force. */
    @Test
    void endpointNamesTheInstanceWhoseDefinitionIsInForce() {
        ApplicationContextRunner application = Applications.connected()
                .withUserConfiguration(Application.class)
                .withPropertyValues("management.endpoints.web.exposure.include=ostraka");
        application.withPropertyValues("ostraka.jobs.report.description=first").run(first -> application
                .withPropertyValues("ostraka.jobs.report.description=second")
                .run(second -> {
                    trigger(second, Map.of());
                    OstrakaEndpoint.JobView job = (OstrakaEndpoint.JobView)
                            first.getBean(OstrakaEndpoint.class).job("report").getBody();
                    OstrakaEndpoint.SettingView description = job.settings().get("description");
                    assertThat(description.source())
                            .startsWith(
                                    description.value().equals("first")
                                            ? "PROPERTY ostraka.jobs.report.description"
                                            : "DEFINITION of instance ");
                }));
    }

    @Test
    void childTasksInheritTheMdc() {
        Applications.connected().withUserConfiguration(Application.class).run(context -> {
            STEPS.clear();
            trigger(context, Map.of("tasks", "yes"));
            assertThat(STEPS).containsExactly("first", "second", "task of report");
        });
    }

    @Test
    void eachRunIsObserved() {
        ObservationRegistry registry = ObservationRegistry.create();
        Recorder recorder = new Recorder();
        registry.observationConfig().observationHandler(recorder);
        Applications.connected()
                .withUserConfiguration(Application.class)
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> {
                    trigger(context, Map.of());
                    trigger(context, Map.of("fail", "yes"));
                    assertThat(recorder.ended)
                            .containsExactly(
                                    "ostraka.item.run report null",
                                    "ostraka.item.run report java.lang.IllegalStateException: wanted");
                });
    }

    @Test
    void observationsOfChildTasksBelongToTheRun() {
        ObservationRegistry registry = ObservationRegistry.create();
        List<String> parents = new CopyOnWriteArrayList<>();
        registry.observationConfig().observationHandler((ObservationHandler<Observation.Context>) new Recorder() {
            @Override
            public void onStop(Observation.Context context) {
                ObservationView parent = context.getParentObservation();
                parents.add(context.getName() + " in "
                        + (parent == null ? null : parent.getContextView().getName()));
            }
        });
        REGISTRY.set(registry);
        Applications.connected()
                .withUserConfiguration(Application.class)
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> {
                    trigger(context, Map.of("observed", "yes"));
                    assertThat(parents).containsExactly("call in ostraka.item.run", "ostraka.item.run in null");
                });
    }

    @Test
    void listenersHaveTheMdcOfTheirFire() {
        Applications.connected().withUserConfiguration(Application.class).run(context -> {
            LISTENED.clear();
            trigger(context, Map.of());
            assertThat(LISTENED).singleElement().satisfies(heard -> {
                String[] parts = heard.split(" ", -1);
                assertThat(parts[1]).isEqualTo(parts[0]);
                assertThat(parts[2]).isEqualTo("null");
            });
        });
    }

    @Test
    void endpointShowsEachSettingWithItsSource() {
        Applications.connected()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "ostraka.jobs.report.description=nightly", "management.endpoints.web.exposure.include=ostraka")
                .run(context -> {
                    OstrakaEndpoint endpoint = context.getBean(OstrakaEndpoint.class);
                    trigger(context, Map.of());

                    assertThat(endpoint.view().connected()).isTrue();
                    assertThat(endpoint.view().jobs()).containsOnlyKeys("report");
                    OstrakaEndpoint.JobView job =
                            (OstrakaEndpoint.JobView) endpoint.job("report").getBody();
                    assertThat(job.settings().get("description").value()).isEqualTo("nightly");
                    assertThat(job.settings().get("description").source()).startsWith("PROPERTY ostraka.jobs.report");
                    assertThat(job.settings().get("errorHandler").source()).startsWith("ANNOTATION bean 'report'");

                    context.getBean(Operations.class)
                            .execute(new Command.Pause("report", null), CommandOptions.by("test"));
                    assertThat(InstanceHealth.of(context.getBean(OstrakaLifecycle.class))
                                    .up())
                            .isTrue();
                });
    }
}
