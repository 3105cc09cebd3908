package io.ostraka.testkit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit extension that provides a {@link TestCluster} for a parameter of a test method and shuts the cluster down after
 * the test. The cluster has three instances, unless the parameter is annotated with {@link Instances}. Its time starts
 * at 2026-01-01T00:00:00Z.
 */
public final class OstrakaExtension implements ParameterResolver, AfterEachCallback {
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
        clusters(context).add(cluster);
        return cluster;
    }

    /** Closes the clusters. Since JUnit 5.13 its store would do so, but the tests of users may have an older version. */
    @Override
    public void afterEach(ExtensionContext context) {
        clusters(context).forEach(TestCluster::close);
    }

    @SuppressWarnings("unchecked")
    private static List<TestCluster> clusters(ExtensionContext context) {
        List<TestCluster> clusters = context.getStore(NAMESPACE).get(context.getUniqueId(), List.class);
        if (clusters == null) {
            clusters = new ArrayList<>();
            context.getStore(NAMESPACE).put(context.getUniqueId(), clusters);
        }
        return clusters;
    }
}
