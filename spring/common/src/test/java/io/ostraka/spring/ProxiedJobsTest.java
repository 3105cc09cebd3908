package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Jobs run through the proxies of their beans, as transactions and security need it. */
@Tag("spring")
class ProxiedJobsTest {
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();

    interface Reporting {
        void report();
    }

    static class Reports implements Reporting {
        @Override
        @ShardedJob(name = "report", shardingTotalCount = 1)
        public void report() {
            STEPS.add("report");
        }
    }

    static class OfClass {
        @ShardedJob(name = "report", shardingTotalCount = 1)
        void report() {
            STEPS.add("report");
        }
    }

    @JobDefinition(name = "report", shardingTotalCount = 1)
    static class ReportJob implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            STEPS.add("report");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DeclaredByInterface {
        @Bean
        Reporting reports() {
            return new Reports();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class JobDeclaredByInterface {
        @Bean
        SimpleJob job() {
            return new ReportJob();
        }
    }

    private static final MethodInterceptor ADVICE = call -> {
        STEPS.add("advice");
        return call.proceed();
    };

    /** Advises methods as {@code @Transactional} does, by proxies of the beans' interfaces or of their classes. */
    private static ApplicationContextRunner advised(boolean ofClasses) {
        return Applications.connected()
                .withBean(DefaultAdvisorAutoProxyCreator.class, () -> {
                    var creator = new DefaultAdvisorAutoProxyCreator();
                    creator.setProxyTargetClass(ofClasses);
                    return creator;
                })
                .withBean(DefaultPointcutAdvisor.class, () -> {
                    var methods = new NameMatchMethodPointcut();
                    methods.setMappedNames("report", "execute");
                    return new DefaultPointcutAdvisor(methods, ADVICE);
                });
    }

    /** Wraps beans in Spring's proxies of their interfaces, and does not tell the bean factory. */
    static class SpringProxies implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof Reporting) && !(bean instanceof SimpleJob)) {
                return bean;
            }
            ProxyFactory factory = new ProxyFactory(bean);
            factory.addAdvice(ADVICE);
            return factory.getProxy();
        }
    }

    /** Wraps beans in proxies that are not Spring's. */
    static class ForeignProxies implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof Reporting)) {
                return bean;
            }
            return Proxy.newProxyInstance(
                    Reporting.class.getClassLoader(), new Class<?>[] {Reporting.class}, (proxy, method, arguments) -> {
                        STEPS.add("advice");
                        return method.invoke(bean, arguments);
                    });
        }
    }

    private static void runsThroughItsProxy(ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            OstrakaLifecycle lifecycle = context.getBean(OstrakaLifecycle.class);
            assertThat(lifecycle.configurations()).containsOnlyKeys("report");
            STEPS.clear();
            lifecycle
                    .registry()
                    .orElseThrow()
                    .trigger("report", Map.of())
                    .completion()
                    .toCompletableFuture()
                    .join();
            assertThat(STEPS).startsWith("advice").endsWith("report");
        });
    }

    @Test
    void methodRunsThroughTheProxyOfAClass() {
        runsThroughItsProxy(advised(true).withBean(OfClass.class));
    }

    @Test
    void methodRunsThroughTheProxyOfAnInterface() {
        runsThroughItsProxy(advised(false).withBean(Reports.class));
        runsThroughItsProxy(advised(false).withUserConfiguration(DeclaredByInterface.class));
    }

    @Test
    void methodRunsThroughAProxyThatHidesItsTarget() {
        ApplicationContextRunner proxied = Applications.connected().withBean(SpringProxies.class);
        runsThroughItsProxy(proxied.withBean(Reports.class));
        runsThroughItsProxy(proxied.withUserConfiguration(DeclaredByInterface.class));
        runsThroughItsProxy(
                Applications.connected().withBean(ForeignProxies.class).withBean(Reports.class));
    }

    @Test
    void jobRunsThroughTheProxyOfAnInterface() {
        runsThroughItsProxy(advised(false).withBean(ReportJob.class));
        runsThroughItsProxy(advised(false).withUserConfiguration(JobDeclaredByInterface.class));
        runsThroughItsProxy(Applications.connected()
                .withBean(SpringProxies.class)
                .withUserConfiguration(JobDeclaredByInterface.class));
    }

    static class Hidden implements Reporting {
        @Override
        public void report() {}

        @ShardedJob(name = "hidden", shardingTotalCount = 1)
        void hidden() {}
    }

    static class Unusable {
        @ShardedJob(name = "unusable", shardingTotalCount = 1)
        final void report() {}
    }

    @Test
    void methodThatAProxyCannotPassOnIsRefusedAtTheStart() {
        refused(
                advised(false).withBean(Hidden.class),
                "method hidden with @ShardedJob is not in an interface of the bean's proxy.",
                "Add it to the interface, or set spring.aop.proxy-target-class to true.");
        refused(
                Applications.connected().withBean(SpringProxies.class).withBean(Hidden.class),
                "method hidden with @ShardedJob is not in an interface of the bean's proxy.",
                "Add it to the interface, or set spring.aop.proxy-target-class to true.");
        refused(advised(true).withBean(Unusable.class), "cannot pass its calls on.", "Make it not final.");
    }

    private static void refused(ApplicationContextRunner application, String description, String action) {
        application.run(context -> {
            FailureAnalysis analysis = Applications.analysis(context);
            assertThat(analysis.getDescription()).endsWith(description);
            assertThat(analysis.getAction()).isEqualTo(action);
        });
    }
}
