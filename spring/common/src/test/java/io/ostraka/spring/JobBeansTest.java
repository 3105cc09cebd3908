package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/** Beans and methods become jobs. */
@Tag("spring")
class JobBeansTest {
    /** Runs of all jobs, in the form {@code job/item}. */
    private static final BlockingQueue<String> RUNS = new LinkedBlockingQueue<>();

    private final ApplicationContextRunner application = Applications.connected();

    @JobDefinition(name = "on-class", shardingTotalCount = 1)
    static class OnClass implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            RUNS.add(context.jobName() + "/" + context.shardingItem());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Methods {
        @Bean
        @JobDefinition(name = "on-bean-method", shardingTotalCount = 2)
        SimpleJob onBeanMethod() {
            return new OnBeanMethod();
        }

        @Bean
        SimpleJob byProperties() {
            return new OnBeanMethod();
        }
    }

    /** A job without an annotation of its own. */
    static class OnBeanMethod implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            RUNS.add(context.jobName() + "/" + context.shardingItem());
        }
    }

    static class Reports {
        @ShardedJob(name = "of-context", shardingTotalCount = 1)
        void ofContext(ShardingContext context) {
            RUNS.add(context.jobName() + "/" + context.shardingItem());
        }

        @ShardedJob(name = "of-parameters", shardingTotalCount = 1)
        void ofParameters(Map<String, String> parameters, ShardingContext context) {
            RUNS.add(context.jobName() + parameters);
        }

        @ShardedJob(name = "of-nothing", shardingTotalCount = 1)
        void ofNothing() {
            RUNS.add("of-nothing");
        }
    }

    private static Set<String> jobs(ApplicationContext context) {
        return context.getBean(OstrakaLifecycle.class).configurations().keySet();
    }

    private static void trigger(ApplicationContext context, String job, Map<String, String> parameters) {
        context.getBean(OstrakaLifecycle.class)
                .registry()
                .orElseThrow()
                .trigger(job, parameters)
                .completion()
                .toCompletableFuture()
                .join();
    }

    @Test
    void classesBeanMethodsAndPropertiesDeclareJobs() {
        application
                .withBean(OnClass.class)
                .withUserConfiguration(Methods.class)
                .withPropertyValues("ostraka.jobs.byProperties.sharding-total-count=1")
                .run(context -> {
                    assertThat(jobs(context)).containsExactlyInAnyOrder("on-class", "on-bean-method", "byProperties");
                    RUNS.clear();
                    trigger(context, "on-class", Map.of());
                    trigger(context, "on-bean-method", Map.of());
                    trigger(context, "byProperties", Map.of());
                    assertThat(RUNS)
                            .containsExactlyInAnyOrder(
                                    "on-class/0", "on-bean-method/0", "on-bean-method/1", "byProperties/0");
                });
    }

    @Test
    void keyOfAJobBeanNeedsNoCapitals() {
        application
                .withBean("expireCarts", OnBeanMethod.class)
                .withPropertyValues("ostraka.jobs.expire-carts.sharding-total-count=4")
                .run(context -> assertThat(jobs(context)).containsExactly("expireCarts"));
        application
                .withBean("expireCarts", OnBeanMethod.class)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("OSTRAKA_JOBS_EXPIRECARTS_SHARDINGTOTALCOUNT", "4"))))
                .run(context -> assertThat(jobs(context)).containsExactly("expireCarts"));
    }

    @Test
    void methodsReceiveParametersByType() {
        application.withBean(Reports.class).run(context -> {
            assertThat(jobs(context)).containsExactlyInAnyOrder("of-context", "of-parameters", "of-nothing");
            RUNS.clear();
            trigger(context, "of-context", Map.of());
            trigger(context, "of-parameters", Map.of("day", "monday"));
            trigger(context, "of-nothing", Map.of());
            assertThat(RUNS).containsExactly("of-context/0", "of-parameters{day=monday}", "of-nothing");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyAndScoped {
        static int created;

        @Bean
        @Lazy
        OnClass lazy() {
            return new OnClass();
        }

        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Reports scoped() {
            created++;
            return new Reports();
        }
    }

    @Test
    void lazyAndScopedBeansAreFoundOnceAndCreatedWhenNeeded() {
        application
                .withUserConfiguration(LazyAndScoped.class)
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> {
                    assertThat(jobs(context))
                            .containsExactlyInAnyOrder("on-class", "of-context", "of-parameters", "of-nothing");
                    int before = LazyAndScoped.created;
                    RUNS.clear();
                    trigger(context, "of-nothing", Map.of());
                    trigger(context, "of-nothing", Map.of());
                    assertThat(RUNS).containsExactly("of-nothing", "of-nothing");
                    assertThat(LazyAndScoped.created).isEqualTo(before + 2);
                });
    }

    static class OtherReports {
        @ShardedJob(name = "of-nothing", shardingTotalCount = 1)
        void again() {}
    }

    static class WithPrivateMethod {
        @ShardedJob(name = "hidden", shardingTotalCount = 1)
        private void hidden() {}
    }

    static class WithResult {
        @ShardedJob(name = "result", shardingTotalCount = 1)
        String result() {
            return "";
        }
    }

    static class WithParameter {
        @ShardedJob(name = "parameter", shardingTotalCount = 1)
        void parameter(int number) {}
    }

    @Test
    void beansThatCannotBeJobsAreRefusedWithTheRemedy() {
        refused(
                WithPrivateMethod.class,
                "Bean 'bean': method hidden with @ShardedJob is static or private.",
                "Make it an instance method that is not private.");
        refused(WithResult.class, "returns String.", "Make it return void, since a run ends when the method returns.");
        refused(WithParameter.class, "has a parameter of type int.", "Give it parameters of these types only:");
        refused(OnBeanMethod.class, "is a job without a configuration.", "ostraka.jobs.bean.sharding-total-count.");
        refused(NoJob.class, "has @JobDefinition but is no job.", "add @ShardedJob to a method.");
    }

    private static void refused(Class<?> bean, String description, String action) {
        refused(Applications.unconnected().withBean("bean", bean), description, action);
    }

    private static void refused(ApplicationContextRunner application, String description, String action) {
        application
                .withPropertyValues("ostraka.namespace=orders", "ostraka.zookeeper.connect-string=localhost:1")
                .run(context -> {
                    FailureAnalysis analysis = Applications.analysis(context);
                    assertThat(analysis.getDescription())
                            .startsWith("Bean 'bean'")
                            .endsWith(description);
                    assertThat(analysis.getAction()).contains(action);
                });
    }

    @Test
    void twoJobsOfOneNameAreRefused() {
        Applications.unconnected()
                .withBean(Reports.class)
                .withBean(OtherReports.class)
                .withPropertyValues("ostraka.namespace=orders", "ostraka.zookeeper.connect-string=localhost:1")
                .run(context -> {
                    FailureAnalysis analysis = Applications.analysis(context);
                    assertThat(analysis.getDescription())
                            .contains("Job 'of-nothing' is declared twice", "ofNothing", "again");
                    assertThat(analysis.getAction()).isEqualTo("Give each job a name of its own.");
                });
    }

    @Test
    void jobInTheScopeOfARequestIsRefused() {
        refused(
                Applications.unconnected()
                        .withInitializer(
                                context -> context.getBeanFactory().registerScope("request", new SimpleThreadScope()))
                        .withBean("bean", OnClass.class, OnClass::new, definition -> definition.setScope("request")),
                "has a job and the scope request.",
                "Give it a scope that does not need a web request.");
    }

    @JobDefinition(name = "no-job", shardingTotalCount = 1)
    static class NoJob {}

    /** Stands for a class of a library. */
    static class OfLibrary {
        void use(Absent absent) {}
    }

    /** Does not exist for the class loader of the test. */
    static class Absent {}

    @Test
    void lazyBeanWhoseClassRefersToAnAbsentClassDoesNotPreventTheStart() {
        ClassLoader loader = new FilteredClassLoader(Absent.class) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                return name.equals(OfLibrary.class.getName()) ? define(name) : super.loadClass(name, resolve);
            }

            private Class<?> define(String name) throws ClassNotFoundException {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                try (InputStream file = OfLibrary.class.getResourceAsStream("JobBeansTest$OfLibrary.class")) {
                    byte[] code = file.readAllBytes();
                    return defineClass(name, code, 0, code.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        };
        application
                .withClassLoader(loader)
                .withBean(OnClass.class)
                .withInitializer(context -> ((BeanDefinitionRegistry) context)
                        .registerBeanDefinition(
                                "ofLibrary",
                                new RootBeanDefinition(ClassUtils.resolveClassName(OfLibrary.class.getName(), loader))))
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(jobs(context)).containsExactly("on-class"));
    }
}
