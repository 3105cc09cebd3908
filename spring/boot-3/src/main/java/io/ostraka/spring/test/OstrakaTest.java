package io.ostraka.spring.test;

import io.ostraka.spring.ClusterExtension;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.autoconfigure.filter.TypeExcludeFilters;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Marks a test of the application's jobs in virtual time, without ZooKeeper. The context contains the jobs, the beans
 * that extend the instance, and the configuration classes that declare such beans, but no other components. Add further
 * beans with {@code @Import}, or replace them by mocks. If a test method has a parameter of type
 * {@link io.ostraka.testkit.TestCluster}, it receives a cluster that hosts the jobs with the configuration of the
 * application. Needs {@code ostraka-job-testkit} and {@code spring-boot-starter-test} on the test's class path.
 *
 * <pre>{@code
 * @OstrakaTest
 * class SettlementTest {
 *     @MockitoBean Orders orders;
 *
 *     @Test
 *     void settlesEachItemOnce(TestCluster cluster) {
 *         cluster.advance(Duration.ofMinutes(1));
 *         verify(orders).settle(0);
 *     }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(SpringBootTestContextBootstrapper.class)
@ExtendWith({SpringExtension.class, ClusterExtension.class})
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(OstrakaTypeExcludeFilter.class)
@ImportAutoConfiguration
@TestPropertySource(properties = "ostraka.enabled=false")
public @interface OstrakaTest {
    /** True to use the filter for jobs and extensions; otherwise only {@link #includeFilters} find components. */
    boolean useDefaultFilters() default true;

    /** Filters for further components. */
    Filter[] includeFilters() default {};

    /** Filters for components to leave out. */
    Filter[] excludeFilters() default {};

    /** Auto-configurations to leave out. */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
