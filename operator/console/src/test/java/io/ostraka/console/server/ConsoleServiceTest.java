package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonParser;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.Namespaces;
import io.ostraka.console.PlaygroundRoutes;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleServiceTest {
    private final List<String> answered = new ArrayList<>();
    private final Api api = new Api(new NoNamespaces(), false);
    private final ConsoleService service =
            new ConsoleService(api, "https://logs.example.org/{runId}", new PlaygroundRoutes() {
                @Override
                public String namespace() {
                    return "orders";
                }

                @Override
                public Response answer(Request request) {
                    answered.add(request.path());
                    return Response.empty(204);
                }
            });

    private static final class NoNamespaces implements Namespaces {
        @Override
        public List<String> names() {
            return List.of();
        }

        @Override
        public Optional<Operations> operations(String namespace) {
            return Optional.empty();
        }
    }

    private record Person(Role role, String namespace) implements Caller {
        @Override
        public String name() {
            return "ann";
        }

        @Override
        public String origin() {
            return "test";
        }

        @Override
        public boolean has(Role asked, String where, String job) {
            return where.equals(namespace) && asked.compareTo(role) <= 0;
        }

        @Override
        public boolean sees(String where) {
            return where.equals(namespace);
        }
    }

    private static Request get(String path) {
        return new Request("GET", path, "", Map.of(), new byte[0], "192.0.2.1", false);
    }

    @Test
    void administratorReachesThePlayground() {
        Caller admin = new Person(Role.ADMIN, "orders");

        assertThat(service.handle(get("/api/v1/playground"), admin).status()).isEqualTo(204);
        assertThat(service.handle(get("/api/v1/playground/kill"), admin).status())
                .isEqualTo(204);
        assertThat(answered).containsExactly("/api/v1/playground", "/api/v1/playground/kill");
    }

    @Test
    void othersDoNotReachThePlayground() {
        for (Caller caller : List.of(new Person(Role.OPERATOR, "orders"), new Person(Role.ADMIN, "billing"))) {
            Problem problem =
                    catchThrowableOfType(Problem.class, () -> service.handle(get("/api/v1/playground/kill"), caller));

            assertThat(problem.code()).isEqualTo(Problem.Code.FORBIDDEN);
        }
        assertThat(answered).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/namespaces", "/api/v1/playgrounds", "/api/v1/Playground"})
    void otherPathsBelongToTheApi(String path) {
        Caller admin = new Person(Role.ADMIN, "orders");

        assertThat(service.handle(get(path), admin).text())
                .isEqualTo(api.handle(get(path), admin).text());
        assertThat(answered).isEmpty();
    }

    @Test
    void consoleWithoutPlaygroundHasNoSuchRoute() {
        Response response =
                new ConsoleService(api, null, null).handle(get("/api/v1/playground"), new Person(Role.ADMIN, "orders"));

        assertThat(response.status()).isEqualTo(404);
    }

    @Test
    void descriptionNamesTheViewsOfTheConsole() {
        assertThat(service.about())
                .isEqualTo(JsonParser.parseString("{'version':'development build','history':false,'playground':true,"
                        + "'logs':'https://logs.example.org/{runId}'}"));
        assertThat(new ConsoleService(api, null, null).about())
                .isEqualTo(
                        JsonParser.parseString("{'version':'development build','history':false,'playground':false}"));
    }
}
