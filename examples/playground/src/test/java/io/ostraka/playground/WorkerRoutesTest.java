package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the routes with workers that are not started. */
@Tag("cluster")
class WorkerRoutesTest {
    private Guard guard;
    private WorkerRoutes routes;

    @BeforeEach
    void createWorkers() throws IOException {
        guard = Guard.start();
        routes = new WorkerRoutes(new Workers(List.of(), "", Map.of(), guard));
    }

    @AfterEach
    void deleteDirectory() throws IOException {
        guard.close();
        assertThat(guard.directory()).doesNotExist();
    }

    private static Request request(String method, String route, String body) {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return new Request(method, WorkerRoutes.PATH + route, "", Map.of(), bytes, "192.0.2.1", false);
    }

    @Test
    void deadWorkersAreListed() {
        assertThat(routes.answer(request("GET", "", "")).text())
                .isEqualTo(
                        """
                        {"workers":[{"name":"worker-1","pid":0,"state":"DEAD"},{"name":"worker-2","pid":0,"state":"DEAD"},\
                        {"name":"worker-3","pid":0,"state":"DEAD"}]}
                        """);
    }

    @Test
    void killOfADeadWorkerChangesNothing() {
        assertThat(routes.answer(request("POST", "/kill", "{'worker':'worker-1'}"))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
            POST   | ""      | {}                                 | METHOD_NOT_ALLOWED
            GET    | /kill   | ""                                 | METHOD_NOT_ALLOWED
            POST   | /stop   | {'worker':'worker-1'}              | NOT_FOUND
            GET    | /       | ""                                 | NOT_FOUND
            POST   | /kill   | {'worker':'worker-4'}              | NOT_FOUND
            POST   | /kill   | ""                                 | INVALID
            POST   | /kill   | {'worker':1}                       | INVALID
            POST   | /kill   | {'worker':'worker-1','pid':'1'}    | INVALID
            POST   | /kill   | [                                  | BAD_REQUEST
            POST   | /freeze | {'worker':'worker-1'}              | REFUSED
            POST   | /resume | {'worker':'worker-1'}              | REFUSED
            """)
    void requestThatIsNotAcceptedIsAProblem(String method, String route, String body, Problem.Code expected) {
        Problem problem = catchThrowableOfType(Problem.class, () -> routes.answer(request(method, route, body)));

        assertThat(problem.code()).isEqualTo(expected);
    }
}
