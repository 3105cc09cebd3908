package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventRoutesTest {
    private static final String PATH = "/api/v1/namespaces/pr%6Fd/events";

    @Test
    void requestForEventsIsRead() {
        assertThat(match("GET", PATH, "job=a&job=b&job=a", Map.of("Last-Event-ID", List.of("e-7"))))
                .contains(new EventRequest("prod", List.of("a", "b"), Set.of(), "e-7"));
        assertThat(match("GET", PATH, "", Map.of())).contains(new EventRequest("prod", List.of(), Set.of(), null));
    }

    @Test
    void displayedJobsAreNamedUpToALimit() {
        String names = IntStream.range(0, EventRequest.MOST_SHOWN)
                .mapToObj(i -> "show=job-" + i)
                .collect(Collectors.joining("&"));
        EventRequest request = match("GET", PATH, "job=a&" + names, Map.of()).orElseThrow();
        assertThat(request.shows("a")).isTrue();
        assertThat(request.shows("job-99")).isTrue();
        assertThat(request.shows("b")).isFalse();
        assertThatThrownBy(() -> match("GET", PATH, names + "&show=one-more", Map.of()))
                .hasMessageContaining("101 names");
    }

    @Test
    void newStreamContinuesAnotherOneByAParameter() {
        assertThat(match("GET", PATH, "show=a&lastEventId=e-7", Map.of()))
                .contains(new EventRequest("prod", List.of(), Set.of("a"), "e-7"));
        assertThat(match("GET", PATH, "lastEventId=e-7", Map.of("Last-Event-ID", List.of("e-9"))))
                .as("the browser connects again by itself")
                .contains(new EventRequest("prod", List.of(), Set.of(), "e-9"));
    }

    @Test
    void idThatWasSentTwiceIsIgnored() {
        assertThat(match("GET", PATH, "", Map.of("Last-Event-ID", List.of("e-7", "e-8"))))
                .contains(new EventRequest("prod", List.of(), Set.of(), null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/api/v1/namespaces",
                "/api/v1/namespaces/prod",
                "/api/v1/namespaces/prod/jobs/events",
                "/api/v1/namespaces/events",
                "/api/v2/namespaces/prod/events",
                "/login"
            })
    void otherRoutesDoNotMatch(String path) {
        assertThat(match("GET", path, "", Map.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, '', METHOD_NOT_ALLOWED",
        "HEAD, '', METHOD_NOT_ALLOWED",
        "GET, job=a&job=b&job=c&job=d&job=e&job=f, INVALID",
        "GET, job=-a, INVALID",
        "GET, show=-a, INVALID",
        "GET, job=, INVALID",
        "GET, job=a%0Ab, BAD_REQUEST",
        "GET, jobs=a, INVALID",
        "GET, job, BAD_REQUEST"
    })
    void wrongRequestsAreRefused(String method, String query, Problem.Code code) {
        assertThatThrownBy(() -> match(method, PATH, query, Map.of()))
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.code()).isEqualTo(code));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/v1/namespaces/../events", "/api/v1/namespaces//events", "/api/v1/namespaces/%ZZ/events"})
    void damagedPathsAreRefused(String path) {
        assertThatThrownBy(() -> match("GET", path, "", Map.of())).isInstanceOf(Problem.class);
    }

    private static Optional<EventRequest> match(
            String method, String path, String query, Map<String, List<String>> headers) {
        return EventRoutes.match(new Request(method, path, query, headers, new byte[0], "test", false));
    }
}
