package io.ostraka.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a setting that has no effect in a scope is rejected when the configuration is built. The message must name
 * the accepted values.
 */
class ScopeTest {
    private static JobConfiguration.Builder job(Scope scope) {
        return JobConfiguration.newBuilder("job", 1).scope(scope);
    }

    @ParameterizedTest
    @EnumSource(names = "SHARDED", mode = EnumSource.Mode.EXCLUDE)
    void onlyAShardedJobHasManyItems(Scope scope) {
        assertThatThrownBy(() -> job(scope).shardingTotalCount(2).build())
                .isInstanceOf(JobConfigurationException.class)
                .hasMessage("job 'job': shardingTotalCount is '2'; accepted: 1 with scope " + scope);
        assertThat(job(scope).build().scope()).isEqualTo(scope);
        assertThat(job(scope).build().toBuilder().build()).isEqualTo(job(scope).build());
    }

    private static void assertRefused(Scope scope, UnaryOperator<JobConfiguration.Builder> change, String because) {
        JobConfiguration.Builder refused = change.apply(job(scope));
        assertThatThrownBy(refused::build)
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining(because)
                .hasMessageContaining("with scope " + scope);
        change.apply(job(Scope.SINGLETON)).build();
    }

    @ParameterizedTest
    @EnumSource(names = {"BROADCAST", "ONE_PER_ZONE"})
    void itemsWithoutNumbersHaveNoParametersAndNoPlaces(Scope scope) {
        assertRefused(scope, job -> job.shardingItemParameters(Map.of(0, "x")), "shardingItemParameters is '{0=x}'");
        assertRefused(scope, job -> job.staticSharding(true), "staticSharding is 'true'; accepted: false");
        assertRefused(scope, job -> job.maxItemsPerInstance(3), "maxItemsPerInstance is '3'; accepted: 0");
    }

    @ParameterizedTest
    @EnumSource(names = "BROADCAST")
    void whereEverybodyHasAnItemNobodyChooses(Scope scope) {
        for (String strategy : List.of("ROUND", "WEIGHTED", "OF_ONES_OWN")) {
            assertRefused(scope, job -> job.shardingStrategy(strategy), "shardingStrategy is '" + strategy + "'");
        }
        assertRefused(scope, job -> job.preferredInstances("gpu"), "preferredInstances is");
        job(Scope.ONE_PER_ZONE)
                .shardingStrategy("WEIGHTED")
                .preferredInstances("gpu")
                .build();
        job(scope).requiredInstances("gpu").antiAffinity("other").build();
    }
}
