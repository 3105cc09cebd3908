package io.ostraka.spring;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.event.BatchSubscriber;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.core.run.JobTypes;
import io.ostraka.lite.Powers;
import io.ostraka.lite.ProcessExtension;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.TestCluster;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.springframework.boot.context.properties.BoundConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * JUnit extension of {@code @OstrakaTest}. For a parameter of type {@link TestCluster}, it starts a cluster in virtual
 * time, and registers the jobs of the application context with the cluster. Each test method has a cluster of its own,
 * which is shut down after the method. The cluster has three instances, unless the parameter is annotated with {@link
 * Instances}. Its time starts at 2026-01-01T00:00:00Z.
 */
public final class ClusterExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(ClusterExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestCluster.class;
    }

    /**
     * The cluster of a test. JUnit closes it after the test. JUnit before version 5.13 only closes values of this
     * deprecated type.
     */
    @SuppressWarnings("deprecation")
    private record Held(TestCluster cluster) implements ExtensionContext.Store.CloseableResource {
        @Override
        public void close() {
            cluster.close();
        }
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Held held = context.getStore(NAMESPACE).get(Held.class, Held.class);
        if (held == null) {
            int count = parameter
                    .findAnnotation(Instances.class)
                    .map(Instances::value)
                    .orElse(3);
            held = new Held(start(count, SpringExtension.getApplicationContext(context)));
            context.getStore(NAMESPACE).put(Held.class, held);
        }
        return held.cluster;
    }

    private static TestCluster start(int instances, ApplicationContext application) {
        ExtensionBeans beans = new ExtensionBeans(application);
        OstrakaProperties properties = application.getBean(OstrakaProperties.class);
        JobPowers powers = new JobPowers(properties);
        powers.requireModule(new PropertyPlaces(BoundConfigurationProperties.get(application)));
        List<ApplicationJobs.Configured> jobs =
                application.getBean(ApplicationJobs.class).findInPart();
        Extensions extensions = extensions(beans, properties);
        jobs.forEach(job ->
                JobSettings.requireStrategy(job.own(), extensions.strategies().keySet()));
        TestCluster cluster = new TestCluster(instances, Instant.parse("2026-01-01T00:00:00Z"), 0, extensions);
        application
                .getBeanProvider(EventSubscriber.class)
                .orderedStream(type -> !BatchSubscriber.class.isAssignableFrom(type)) // see SliceConfiguration
                .forEach(cluster::subscribe);
        jobs.forEach(job -> schedule(job, cluster, powers));
        return cluster;
    }

    private static void schedule(ApplicationJobs.Configured job, TestCluster cluster, JobPowers powers) {
        Job code = job.found().code().get();
        JobConfiguration configuration = job.own().configuration();
        try {
            cluster.schedule(code, configuration, job.options().get());
        } catch (JobConfigurationException e) {
            throw powers.refusal(job.found(), code, configuration, e).orElse(e);
        }
    }

    private static Extensions extensions(ExtensionBeans beans, OstrakaProperties properties) {
        OstrakaProperties.Allow allow = properties.allow();
        Powers powers = Powers.NONE
                .withScriptJobs(allow.scriptJobs())
                .withHttpHosts(allow.httpHosts())
                .withPrivateHosts(allow.privateHosts());
        List<JobItemExecutor<?>> executors =
                new ArrayList<>(ProcessExtension.parts(powers).jobItemExecutors());
        beans.of(JobItemExecutor.class).forEach(executors::add);
        List<JobErrorHandler> handlers = new ArrayList<>(beans.of(JobErrorHandler.class));
        if (properties.webhook() != null) {
            handlers.add(new NoWebhook());
        }
        return new Extensions(
                BuiltInStrategies.and(Extensions.found(JobShardingStrategy.class, beans.of(JobShardingStrategy.class))),
                JobTypes.found(executors),
                Extensions.found(JobErrorHandler.class, handlers),
                Extensions.found(RunInterceptor.class, beans.of(RunInterceptor.class)),
                new Extensions.Listeners(
                        Extensions.found(JobListener.class, beans.of(JobListener.class)),
                        Extensions.found(InstanceListener.class, beans.of(InstanceListener.class)),
                        beans.of(HealthListener.class),
                        List.of(),
                        beans.of(AlarmHandler.class),
                        List.of()));
    }

    /** Replaces the webhook, so that a test sends no reports. */
    private static final class NoWebhook implements JobErrorHandler {
        @Override
        public String type() {
            return ErrorHandlers.WEBHOOK;
        }

        @Override
        public void handle(ItemFailure failure, Throwable thrown) {}
    }
}
