package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.InstanceState;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ZooKeeperOperations;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The instance starts and stops with its application context. */
@Tag("spring")
@Tag("smoke")
class LifecycleTest {
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();

    private final String namespace = Applications.namespace();

    /** A bean that the job needs until it ends. */
    static final class Database implements DisposableBean {
        @Override
        public void destroy() {
            STEPS.add("database closed");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(OstrakaAutoConfiguration.class)
    static class Application {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @Bean
        Database database() {
            return new Database();
        }

        @Bean
        ApplicationRunner runner(OstrakaLifecycle lifecycle) {
            return arguments -> STEPS.add("runner, jobs hosted: "
                    + lifecycle.registry().orElseThrow().health().jobs().size());
        }

        @Bean
        @JobDefinition(name = "report", shardingTotalCount = 1)
        SimpleJob report(Database database) {
            return new SimpleJob() {
                @Override
                public void execute(ShardingContext context) throws Exception {
                    started.countDown();
                    mayEnd.await();
                    STEPS.add("run ended");
                }
            };
        }
    }

    /** Fails after the instance has connected. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(OstrakaAutoConfiguration.class)
    static class Failing {
        @Bean
        @JobDefinition(name = "report", shardingTotalCount = 1)
        SimpleJob report() {
            return new SimpleJob() {
                @Override
                public void execute(ShardingContext context) {}
            };
        }

        @Bean
        ApplicationRunner runner(OstrakaLifecycle lifecycle) {
            return arguments -> {
                lifecycle.registry().orElseThrow().operations().instances();
                throw new IllegalStateException("the runner fails");
            };
        }
    }

    /** Ends when its work is done. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(OstrakaAutoConfiguration.class)
    static class ClosingItself {
        final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

        @Bean
        @JobDefinition(name = "migrate", shardingTotalCount = 1)
        SimpleJob migrate(ConfigurableApplicationContext own) {
            return new SimpleJob() {
                @Override
                public void execute(ShardingContext context) {
                    own.close();
                    interrupted.complete(Thread.currentThread().isInterrupted());
                }
            };
        }
    }

    private ConfigurableApplicationContext run(Class<?> application) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(WebApplicationType.NONE);
        spring.setRegisterShutdownHook(false);
        spring.setDefaultProperties(Map.of(
                "ostraka.zookeeper.connect-string",
                Applications.servers(),
                "ostraka.namespace",
                namespace,
                "ostraka.lifecycle.fail-fast",
                "60s",
                "spring.main.banner-mode",
                "off"));
        return spring.run();
    }

    @Test
    void jobsAreHostedWhenTheApplicationIsReadyAndRunsEndBeforeBeansAreDestroyed() throws Exception {
        STEPS.clear();
        ConfigurableApplicationContext context = run(Application.class);
        Application application = context.getBean(Application.class);
        var registry = context.getBean(OstrakaLifecycle.class).registry().orElseThrow();
        assertThat(registry.health().jobs()).containsOnlyKeys("report");
        registry.trigger("report", Map.of());
        application.started.await();

        Thread closing = new Thread(context::close);
        closing.start();
        Eventually.holds("the end", () -> registry.health().state() != InstanceState.WORKING);
        application.mayEnd.countDown();
        closing.join();

        assertThat(STEPS).containsExactly("runner, jobs hosted: 0", "run ended", "database closed");
    }

    @Test
    void runClosesItsContextWithoutWaitingForItself() {
        ConfigurableApplicationContext context = run(ClosingItself.class);
        CompletableFuture<Boolean> interrupted = context.getBean(ClosingItself.class).interrupted;
        context.getBean(OstrakaLifecycle.class).registry().orElseThrow().trigger("migrate", Map.of());

        assertThat(interrupted.join()).as("interrupted at the end of the grace").isFalse();
        assertThat(context.isActive()).isFalse();
    }

    @Test
    void applicationThatFailsToStartLeavesNoInstance() {
        assertThatThrownBy(() -> run(Failing.class)).hasStackTraceContaining("the runner fails");

        try (ZooKeeperOperations observer = ZooKeeperOperations.connect(Applications.servers(), namespace)) {
            assertThat(observer.operations().instances()).isEmpty();
        }
    }

    @Test
    void contextCanBeStoppedAndStartedAgain() {
        try (ConfigurableApplicationContext context = run(Application.class)) {
            context.getBean(Application.class).mayEnd.countDown();
            OstrakaLifecycle lifecycle = context.getBean(OstrakaLifecycle.class);
            Operations operations = context.getBean(Operations.class);
            assertThat(operations.instances()).hasSize(1);

            context.stop();
            assertThat(lifecycle.registry()).isEmpty();
            assertThatThrownBy(operations::instances).hasMessageContaining("context is stopped");

            context.start();
            assertThat(operations.instances()).hasSize(1);
            assertThat(lifecycle.registry().orElseThrow().health().jobs()).containsOnlyKeys("report");
        }
    }

    @Test
    void twoContextsAreTwoInstances() {
        try (ConfigurableApplicationContext one = run(Application.class);
                ConfigurableApplicationContext two = run(Application.class)) {
            assertThat(one.getBean(Operations.class).instances()).hasSize(2);
            one.getBean(Application.class).mayEnd.countDown();
            two.getBean(Application.class).mayEnd.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(OstrakaAutoConfiguration.class)
    static class Child {
        @ShardedJob(name = "of-child", shardingTotalCount = 1)
        void run() {}
    }

    @Test
    void childContextIsAnInstanceWithItsOwnJobs() {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties(
                        "ostraka.zookeeper.connect-string=" + Applications.servers(),
                        "ostraka.namespace=" + namespace,
                        "ostraka.lifecycle.fail-fast=60s");
        try (ConfigurableApplicationContext child =
                builder.child(Child.class).web(WebApplicationType.NONE).run()) {
            ConfigurableApplicationContext parent = (ConfigurableApplicationContext) child.getParent();
            assertThat(jobs(child)).containsExactly("of-child");
            assertThat(jobs(parent)).containsExactly("report");
            parent.getBean(Application.class).mayEnd.countDown();
            parent.close();
        }
    }

    private static Set<String> jobs(ApplicationContext context) {
        return context.getBean(OstrakaLifecycle.class)
                .registry()
                .orElseThrow()
                .health()
                .jobs()
                .keySet();
    }

    @Test
    void disabledApplicationStartsWithoutZooKeeper() {
        Applications.unconnected()
                .withUserConfiguration(Application.class)
                .withPropertyValues("ostraka.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(InstanceHealth.of(context.getBean(OstrakaLifecycle.class))
                                    .up())
                            .isTrue();
                });
    }
}
