package io.ostraka.console.security;

import static io.ostraka.api.operations.Role.ADMIN;
import static io.ostraka.api.operations.Role.OPERATOR;
import static io.ostraka.api.operations.Role.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the roles that grants give. */
class GrantsTest {
    private final List<String> asked = new ArrayList<>();

    private Grants grants(String... texts) {
        return new Grants(Stream.of(texts).map(Grant::parse).toList(), (namespace, job) -> {
            asked.add(namespace + "/" + job);
            return job.startsWith("pay") ? Map.of("team", "payments", "tier", "1") : Map.of();
        });
    }

    @Test
    void noGrantGivesNothing() {
        Grants none = grants();

        assertThat(none.has(VIEWER, "orders", "settle")).isFalse();
        assertThat(none.has(VIEWER, "orders", null)).isFalse();
        assertThat(none.sees("orders")).isFalse();
        assertThat(none.isEmpty()).isTrue();
        assertThat(grants("VIEWER orders").isEmpty()).isFalse();
    }

    @Test
    void roleIncludesLowerRolesOnly() {
        Grants operator = grants("OPERATOR orders");

        assertThat(operator.has(VIEWER, "orders", "settle")).isTrue();
        assertThat(operator.has(OPERATOR, "orders", "settle")).isTrue();
        assertThat(operator.has(ADMIN, "orders", "settle")).isFalse();
    }

    @Test
    void grantIsForItsNamespacesOnly() {
        Grants grants = grants("ADMIN orders-*");

        assertThat(grants.has(ADMIN, "orders-eu", "settle")).isTrue();
        assertThat(grants.sees("orders-eu")).isTrue();
        assertThat(grants.has(VIEWER, "billing", "settle")).isFalse();
        assertThat(grants.sees("billing")).isFalse();
    }

    @Test
    void namespaceItselfNeedsAGrantForAllJobs() {
        assertThat(grants("ADMIN orders").has(ADMIN, "orders", null)).isTrue();
        assertThat(grants("ADMIN orders/*").has(ADMIN, "orders", null)).isTrue();
        assertThat(grants("ADMIN orders/s*").has(VIEWER, "orders", null)).isFalse();
        assertThat(grants("ADMIN orders label:team=payments").has(VIEWER, "orders", null))
                .isFalse();
        assertThat(grants("ADMIN orders/s*").sees("orders")).isTrue();
        assertThat(asked).isEmpty();
    }

    @Test
    void labelsOfTheJobMustContainAllLabelsOfTheGrant() {
        assertThat(grants("OPERATOR orders label:team=payments").has(OPERATOR, "orders", "pay"))
                .isTrue();
        assertThat(grants("OPERATOR orders label:team=payments").has(OPERATOR, "orders", "ship"))
                .isFalse();
        assertThat(grants("OPERATOR orders label:team=payments label:tier=1").has(OPERATOR, "orders", "pay"))
                .isTrue();
        assertThat(grants("OPERATOR orders label:team=payments label:tier=2").has(OPERATOR, "orders", "pay"))
                .isFalse();
    }

    @Test
    void labelsAreReadOnlyIfTheyCouldGiveTheRole() {
        Grants grants = grants("VIEWER orders", "OPERATOR orders label:team=payments", "ADMIN billing");

        grants.has(VIEWER, "orders", "pay");
        grants.has(ADMIN, "orders", "pay");
        grants.has(VIEWER, "billing", "pay");
        grants.has(VIEWER, "other", "pay");
        assertThat(asked).isEmpty();

        grants.has(OPERATOR, "orders", "pay");
        assertThat(asked).containsExactly("orders/pay");
    }

    @Test
    void callerHasTheHighestRoleOfItsGrants() {
        GrantedCaller caller = new GrantedCaller("ann", "session", grants("VIEWER orders", "ADMIN orders/settle"));

        assertThat(caller.role("orders", "settle")).isEqualTo(ADMIN);
        assertThat(caller.role("orders", "ship")).isEqualTo(VIEWER);
        assertThat(caller.role("orders", null)).isEqualTo(VIEWER);
        assertThat(caller.role("billing", "settle")).isNull();
    }
}
