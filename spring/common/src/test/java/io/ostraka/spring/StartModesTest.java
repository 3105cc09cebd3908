package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;

/** Applications that start in another way: with lazy beans, ahead-of-time processing, virtual threads, or a server inside. */
@Tag("spring")
@Tag("smoke")
class StartModesTest {
    private static volatile @Nullable Thread runner;

    static class Reports {
        @ShardedJob(name = "report", shardingTotalCount = 1)
        void report(ShardingContext context) {
            runner = Thread.currentThread();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(OstrakaAutoConfiguration.class)
    static class Application {
        @Bean
        Reports reports() {
            return new Reports();
        }
    }

    private static List<String> connected() {
        return new ArrayList<>(List.of(
                "ostraka.zookeeper.connect-string=" + Applications.servers(),
                "ostraka.namespace=" + Applications.namespace(),
                "ostraka.lifecycle.fail-fast=60s",
                "spring.main.banner-mode=off"));
    }

    private static ConfigurableApplicationContext run(List<String> properties, String... more) {
        properties.addAll(List.of(more));
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties(properties.toArray(String[]::new))
                .run();
    }

    /** Triggers the job, and returns the thread on which it ran. */
    private static Thread trigger(GenericApplicationContext context) {
        runner = null;
        context.getBean(OstrakaLifecycle.class)
                .registry()
                .orElseThrow()
                .trigger("report", Map.of())
                .completion()
                .toCompletableFuture()
                .join();
        Thread thread = runner;
        assertThat(thread).isNotNull();
        return thread;
    }

    private static Thread trigger(ConfigurableApplicationContext context) {
        return trigger((GenericApplicationContext) context);
    }

    @Test
    void lazyApplicationHostsItsJobs() {
        try (ConfigurableApplicationContext context = run(connected(), "spring.main.lazy-initialization=true")) {
            assertThat(trigger(context)).isNotNull();
        }
    }

    /** Before JDK 21, there are no virtual threads, and Spring ignores the property. */
    @Test
    void runsUseVirtualThreadsWhereSpringDoes() {
        try (ConfigurableApplicationContext context = run(connected(), "spring.threads.virtual.enabled=true")) {
            assertThat(trigger(context).getClass().getSimpleName().equals("VirtualThread"))
                    .isEqualTo(Runtime.version().feature() >= 21);
        }
        try (ConfigurableApplicationContext context = run(connected())) {
            assertThat(trigger(context).getClass().getSimpleName()).isNotEqualTo("VirtualThread");
        }
    }

    @Test
    void embeddedServerKeepsItsDataForTheNextStart(@TempDir Path directory) {
        List<String> embedded = List.of(
                "ostraka.zookeeper.embedded=true",
                "ostraka.zookeeper.embedded-directory=" + directory,
                "ostraka.namespace=development",
                "ostraka.lifecycle.fail-fast=60s",
                "spring.main.banner-mode=off");
        try (ConfigurableApplicationContext context = run(new ArrayList<>(embedded))) {
            trigger(context);
            operations(context).execute(new Command.Pause("report", null), byTest());
        }
        try (ConfigurableApplicationContext context = run(new ArrayList<>(embedded))) {
            assertThat(operations(context)
                            .job("report")
                            .field("paused")
                            .orElseThrow()
                            .overridden())
                    .isTrue();
        }
    }

    @Test
    void embeddedServerInUseRefusesTheStartWithASentence(@TempDir Path directory) {
        try (EmbeddedZooKeeper other = EmbeddedZooKeeper.start(directory, 0)) {
            assertThat(other.port()).isPositive();
            assertThatThrownBy(() -> run(new ArrayList<>(List.of(
                            "ostraka.zookeeper.embedded=true",
                            "ostraka.zookeeper.embedded-directory=" + directory,
                            "ostraka.namespace=development",
                            "spring.main.banner-mode=off"))))
                    .hasRootCauseInstanceOf(CoordinationException.class)
                    .satisfies(failure -> assertThat(new OstrakaFailureAnalyzer().analyze(failure))
                            .isNotNull()
                            .satisfies(analysis -> assertThat(analysis.getDescription() + analysis.getAction())
                                    .contains(
                                            "embedded ZooKeeper uses " + directory,
                                            "ostraka.zookeeper.connect-string")));
        }
    }

    private static Operations operations(ConfigurableApplicationContext context) {
        return context.getBean(Operations.class);
    }

    private static CommandOptions byTest() {
        return CommandOptions.by("test");
    }

    /** The generated code registers the beans; the class path is not scanned and no annotation is read. */
    @Test
    @CompileWithForkedClassLoader
    void contextProcessedAheadOfTimeHostsItsJobs() {
        TestGenerationContext generation = new TestGenerationContext();
        ClassName initializer;
        try (AnnotationConfigApplicationContext source = new AnnotationConfigApplicationContext()) {
            source.register(Application.class);
            initializer = new ApplicationContextAotGenerator().processAheadOfTime(source, generation);
        }
        generation.writeGeneratedContent();
        assertThat(generation
                        .getRuntimeHints()
                        .reflection()
                        .getTypeHint(Reports.class)
                        .methods())
                .anyMatch(method -> method.getName().equals("report"));

        List<String> properties = connected();
        properties.add("ostraka.lifecycle.start=refresh");
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                TestPropertyValues.of(properties).applyTo(context);
                initializer(compiled.getInstance(ApplicationContextInitializer.class, initializer.reflectionName()))
                        .initialize(context);
                context.refresh();
                assertThat(trigger(context)).isNotNull();
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(
            ApplicationContextInitializer<?> untyped) {
        return (ApplicationContextInitializer<GenericApplicationContext>) untyped;
    }

    @Test
    void moduleOfAnotherLineIsRefused() {
        String version = SpringBootVersion.getVersion();
        int own = Integer.parseInt(version.substring(0, version.indexOf('.')));
        BootLine.require(own);

        assertThatThrownBy(() -> BootLine.require(7 - own))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Spring Boot " + version)
                .hasMessageContaining("use ostraka-spring-boot-" + own + "-starter");
    }
}
