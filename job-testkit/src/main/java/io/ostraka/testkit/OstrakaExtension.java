package io.ostraka.testkit;

import java.time.Instant;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit extension that provides a {@link TestCluster} for a parameter of a test method and shuts the cluster down after
 * the test. The cluster has three instances, unless the parameter is annotated with {@link Instances}. Its time starts
 * at 2026-01-01T00:00:00Z.
 */
public final class OstrakaExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(OstrakaExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        int count =
                parameter.findAnnotation(Instances.class).map(Instances::value).orElse(3);
        TestCluster cluster = new TestCluster(count, Instant.parse("2026-01-01T00:00:00Z"), 0);
        context.getStore(NAMESPACE).put(cluster, closing(cluster));
        return cluster;
    }

    /**
     * Returns a resource that JUnit closes after the test. Versions of JUnit before 5.13 know only this deprecated
     * type.
     */
    @SuppressWarnings("deprecation")
    private static CloseableResource closing(TestCluster cluster) {
        return cluster::close;
    }
}
