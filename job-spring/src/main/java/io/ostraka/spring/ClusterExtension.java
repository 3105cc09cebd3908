package io.ostraka.spring;

import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.core.run.JobTypes;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.TestCluster;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
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

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        int count =
                parameter.findAnnotation(Instances.class).map(Instances::value).orElse(3);
        ApplicationContext application = SpringExtension.getApplicationContext(context);
        ExtensionBeans beans = new ExtensionBeans(application);
        TestCluster cluster = new TestCluster(count, Instant.parse("2026-01-01T00:00:00Z"), 0, extensions(beans));
        context.getStore(NAMESPACE).put(cluster, cluster); // JUnit closes the cluster after the test
        beans.of(EventSubscriber.class).forEach(cluster::subscribe);
        application
                .getBean(ApplicationJobs.class)
                .find()
                .forEach(job -> cluster.schedule(
                        job.found().code().get(), job.effective().configuration()));
        return cluster;
    }

    private static Extensions extensions(ExtensionBeans beans) {
        List<JobItemExecutor<?>> executors = new ArrayList<>();
        beans.of(JobItemExecutor.class).forEach(executors::add);
        return new Extensions(
                BuiltInStrategies.and(Extensions.found(JobShardingStrategy.class, beans.of(JobShardingStrategy.class))),
                JobTypes.found(executors),
                ErrorHandlers.found(beans.of(JobErrorHandler.class)),
                Extensions.found(RunInterceptor.class, beans.of(RunInterceptor.class)),
                new Extensions.Listeners(
                        Extensions.found(JobListener.class, beans.of(JobListener.class)),
                        Extensions.found(InstanceListener.class, beans.of(InstanceListener.class)),
                        beans.of(HealthListener.class),
                        List.of(),
                        List.of()));
    }
}
