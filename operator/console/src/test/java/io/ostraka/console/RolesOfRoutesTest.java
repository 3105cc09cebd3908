package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.console.security.Grant;
import io.ostraka.console.security.JobLabels;
import io.ostraka.console.security.LoginAudit;
import io.ostraka.console.security.ManualClock;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.console.security.SecuritySettings;
import io.ostraka.console.security.Sent;
import io.ostraka.console.security.Tokens;
import io.ostraka.history.Accounts;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls every route as every kind of caller. */
@ExtendWith(OstrakaExtension.class)
class RolesOfRoutesTest {
    private static final String BASE = Routes.NAMESPACES + "/orders";

    /** Views of a whole namespace that show each caller only its own jobs. Every other route needs its role. */
    private static final Set<Operation> FILTERED = EnumSet.of(
            Operation.NAMESPACE,
            Operation.JOBS,
            Operation.ACTIVITY,
            Operation.BACKFILLS,
            Operation.ALARMS,
            Operation.PROBLEMS,
            Operation.INSTANCES,
            Operation.FORECAST);

    /** A history whose database does not answer, so a permitted view of the history has the status 503. */
    private static final HistorySource NO_DATABASE = new HistorySource() {
        @Override
        public Queries queries(String namespace) throws SQLException {
            throw new SQLException("the database is away");
        }

        @Override
        public Accounts accounts(String namespace) throws SQLException {
            throw new SQLException("the database is away");
        }
    };

    private final Map<String, String> tokens = new TreeMap<>();
    private final List<String> calls = new ArrayList<>();

    /**
     * A kind of caller.
     *
     * @param grant grant of the caller; null for a request without a credential
     * @param ofNamespace role for the namespace and all its jobs; null if there is none
     * @param ofJob role for the job; null if there is none
     * @param sees true if the caller has a grant in the namespace
     */
    private record Kind(@Nullable String grant, @Nullable Role ofNamespace, @Nullable Role ofJob, boolean sees) {
        int expected(Route route) {
            boolean ofTheJob = route.segments().contains("{job}");
            Role role = ofTheJob ? ofJob : ofNamespace;
            if (grant == null) {
                return 401;
            } else if (!sees) {
                return 404;
            } else if (FILTERED.contains(route.operation())) {
                return 200;
            }
            return role != null && role.compareTo(route.operation().role()) >= 0 ? 200 : 403;
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind(null, null, null, false),
            new Kind("VIEWER orders", Role.VIEWER, Role.VIEWER, true),
            new Kind("OPERATOR orders", Role.OPERATOR, Role.OPERATOR, true),
            new Kind("ADMIN orders", Role.ADMIN, Role.ADMIN, true),
            new Kind("ADMIN", Role.ADMIN, Role.ADMIN, true),
            new Kind("ADMIN billing", null, null, false),
            new Kind("ADMIN orders/ship", null, null, true),
            new Kind("ADMIN orders label:team=shipping", null, null, true),
            new Kind("ADMIN orders/settle", null, Role.ADMIN, true),
            new Kind("OPERATOR orders label:team=payments", null, Role.OPERATOR, true));

    private SecuredApi api(TestCluster cluster) {
        cluster.schedule(context -> {}, job("settle", "payments"));
        cluster.schedule(context -> {}, job("ship", "shipping"));
        Operations real = cluster.observe();
        real.execute(new Command.Trigger("settle"), CommandOptions.by("test").withRequestId("run-1"));
        cluster.advance(Duration.ofSeconds(10));
        Operations recorded = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("execute")) {
                        calls.add(Operation.of((Command) arguments[0]).name());
                        return new CommandResult.Applied(1, "", "done");
                    }
                    calls.add(method.getName());
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Namespaces namespaces = namespaces(recorded);
        ManualClock clock = new ManualClock();
        SecuritySettings.Builder settings = SecuritySettings.newBuilder();
        for (Kind kind : KINDS) {
            if (kind.grant() != null) {
                String token = Tokens.create();
                tokens.put(kind.grant(), token);
                settings.token(
                        "caller-" + tokens.size(),
                        Tokens.digest(token),
                        clock.instant().plusSeconds(1),
                        List.of(Grant.parse(kind.grant())));
            }
        }
        return new SecuredApi(
                new Api(namespaces, false, NO_DATABASE),
                settings.build(),
                new JobLabels(namespaces(real), clock),
                clock,
                LoginAudit.log(),
                password -> {});
    }

    private static JobConfiguration job(String name, String team) {
        return JobConfiguration.newBuilder(name, 1)
                .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                .labels(Map.of("team", team))
                .build();
    }

    private static Namespaces namespaces(Operations operations) {
        return new Namespaces() {
            @Override
            public List<String> names() {
                return List.of("billing", "orders");
            }

            @Override
            public Optional<Operations> operations(String namespace) {
                return names().contains(namespace) ? Optional.of(operations) : Optional.empty();
            }
        };
    }

    private Sent by(Kind kind, Sent sent) {
        return kind.grant() == null ? sent : sent.bearer(tokens.get(kind.grant()));
    }

    private static Sent sent(Route route, String document) {
        String path = BASE
                + route.path().replace("{job}", "settle").replace("{item}", "0").replace("{runId}", "run-1");
        if (route.method().equals("GET")) {
            return Sent.get(path);
        }
        return Sent.post(path, route.operation().changes() ? ApiTest.bodies().get(route.operation()) : document);
    }

    @Test
    void everyRouteAnswersExactlyTheCallersWithItsRole(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster);
        String document = cluster.observe().export();
        List<Route> routes = new Routes().all();
        Map<String, Integer> statuses = new LinkedHashMap<>();
        Map<String, Integer> expected = new LinkedHashMap<>();
        for (Route route : routes) {
            for (Kind kind : KINDS) {
                String name = route.method() + " " + route.path() + " by " + kind.grant();
                calls.clear();
                Response response = api.handle(by(kind, sent(route, document)).request());
                statuses.put(name, response.status());
                expected.put(name, kind.expected(route));
                if (response.status() != 200) {
                    assertThat(calls).as(name).isEmpty();
                } else if (route.operation().changes()) {
                    assertThat(calls).as(name).containsExactly(route.operation().name());
                }
            }
        }

        assertThat(routes).hasSameSizeAs(Operation.values());
        assertThat(statuses).isEqualTo(expected);
        assertThat(statuses.values()).contains(200, 401, 403, 404);
    }

    @Test
    void everyViewOfTheHistoryAnswersExactlyTheViewersOfItsJob(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster);
        Set<String> paths = new HistoryViews(NO_DATABASE).paths().keySet();
        Map<String, Integer> statuses = new LinkedHashMap<>();
        Map<String, Integer> expected = new LinkedHashMap<>();
        for (String path : paths) {
            for (Kind kind : KINDS) {
                String sent = BASE + path.replace("{job}", "settle").replace("{runId}", "run-1");
                boolean ofTheJob = path.contains("{job}");
                statuses.put(
                        path + " by " + kind.grant(),
                        api.handle(by(kind, Sent.get(sent)).request()).status());
                expected.put(
                        path + " by " + kind.grant(),
                        kind.grant() == null ? 401 : !kind.sees() ? 404 : ofTheJob && kind.ofJob() == null ? 403 : 503);
            }
        }

        assertThat(paths).hasSizeGreaterThan(5);
        assertThat(statuses).isEqualTo(expected);
    }

    @Test
    void routesOutsideOfNamespacesNeedACaller(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster);
        for (Kind kind : KINDS) {
            boolean known = kind.grant() != null;

            assertThat(api.handle(by(kind, Sent.get(Routes.NAMESPACES)).request())
                            .status())
                    .isEqualTo(known ? 200 : 401);
            assertThat(api.handle(by(kind, Sent.get(OpenApi.PATH)).request()).status())
                    .isEqualTo(known ? 200 : 401);
            assertThat(api.handle(by(kind, Sent.get(SecuredApi.SESSION)).request())
                            .status())
                    .isEqualTo(known ? 200 : 401);
            assertThat(api.handle(by(kind, Sent.delete(SecuredApi.SESSION)).request())
                            .status())
                    .isEqualTo(known ? 409 : 401);
            assertThat(api.handle(by(kind, Sent.get("/api/v1/other")).request()).status())
                    .isEqualTo(known ? 404 : 401);
        }
    }

    @Test
    void listOfNamespacesHasThoseOfTheCallerOnly(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster);

        assertThat(list(api, "ADMIN")).contains("billing", "orders");
        assertThat(list(api, "ADMIN billing")).contains("billing").doesNotContain("orders");
        assertThat(list(api, "ADMIN orders/ship")).contains("orders").doesNotContain("billing");
    }

    private String list(SecuredApi api, String grant) {
        return api.handle(Sent.get(Routes.NAMESPACES).bearer(tokens.get(grant)).request())
                .text();
    }

    @Test
    void missingNamespaceLooksLikeANamespaceOfOthers(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster);
        String token = tokens.get("ADMIN billing");

        Response ofOthers = api.handle(Sent.get(BASE + "/jobs").bearer(token).request());
        Response missing = api.handle(
                Sent.get(Routes.NAMESPACES + "/missing/jobs").bearer(token).request());

        assertThat(missing.status()).isEqualTo(ofOthers.status());
        assertThat(missing.text().replace("missing", "orders")).isEqualTo(ofOthers.text());
    }

    @Test
    void missingJobLooksLikeAJobOfOthers(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster);
        for (String grant : List.of("ADMIN orders/ship", "ADMIN orders label:team=shipping")) {
            Response ofOthers = api.handle(
                    Sent.get(BASE + "/jobs/settle").bearer(tokens.get(grant)).request());
            Response missing = api.handle(
                    Sent.get(BASE + "/jobs/missing").bearer(tokens.get(grant)).request());

            assertThat(missing.status()).isEqualTo(403);
            assertThat(missing.text().replace("missing", "settle")).isEqualTo(ofOthers.text());
        }
    }
}
