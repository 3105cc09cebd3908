package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.console.security.Sent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the pages, with files of the tests beside those of the console. */
class PagesTest {
    private final Pages pages = new Pages();

    private Response get(String path) {
        return pages.answer(Sent.get(path).request());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api", "/api/v1/namespaces", "/api/other", "/health/live", "/health", "", "*", "x/y"})
    void routesOfTheApiAndTheHealthAreNoPages(String path) {
        assertThat(Pages.serves(Sent.get(path).request())).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "/, ./",
        "/index.html, ./",
        "/orders, ./",
        "/orders/, ../",
        "/orders/jobs/settle.v2/, ../../../",
        "/apis/x?search=settle.js, ../",
        "/js, ./",
        "/load.json/, ../",
        "/%2e%2e/x, ../",
        "/a//b, ../../",
    })
    void screenGetsTheIndexWithTheWayToTheRoot(String path, String root) {
        assertThat(Pages.serves(Sent.get(path).request())).isTrue();
        Response response = get(path);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).contains("href=\"" + root + "style.css\"").doesNotContain(Pages.ROOT);
        assertThat(response.headers())
                .containsEntry("Content-Type", "text/html; charset=utf-8")
                .containsEntry("Cache-Control", "no-cache");
    }

    @Test
    void fileHasItsTypeAndIsAskedForAgain() {
        Response response = get("/sub/test.css");
        assertThat(response.text()).isEqualTo("body {}\n");
        assertThat(response.headers())
                .containsEntry("Content-Type", "text/css; charset=utf-8")
                .containsEntry("Cache-Control", "no-cache");
    }

    @Test
    void fileWithTheHashOfItsContentInTheNameNeverChanges() {
        assertThat(get("/test-8e609bb7.js").headers().get("Cache-Control")).contains("immutable");
        assertThat(get("/test-00000000.js").headers()).containsEntry("Cache-Control", "no-cache");
    }

    @Test
    void clientWithTheSameContentGetsNoBody() {
        for (String path : new String[] {"/", "/sub/test.css"}) {
            String tag = get(path).headers().get("ETag");
            for (String sent : new String[] {tag, "W/" + tag, "\"other\", " + tag, "*"}) {
                Response response =
                        pages.answer(Sent.get(path).with("if-none-match", sent).request());
                assertThat(response.status()).as(sent).isEqualTo(304);
                assertThat(response.body()).isEmpty();
                assertThat(response.headers()).containsEntry("ETag", tag).containsKey("Content-Security-Policy");
            }
            assertThat(pages.answer(Sent.get(path)
                                    .with("if-none-match", "\"other\"")
                                    .request())
                            .status())
                    .isEqualTo(200);
        }
        assertThat(get("/a/b").headers().get("ETag"))
                .as("the way to the root is part of the content")
                .isNotEqualTo(get("/a").headers().get("ETag"));
    }

    @Test
    void headIsAGetWithoutBody() {
        Response get = get("/sub/test.css");
        Response head = pages.answer(Sent.of("HEAD", "/sub/test.css").request());
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers())
                .containsAllEntriesOf(get.headers())
                .containsEntry("Content-Length", String.valueOf(get.body().length));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/unknown.js",
                "/../outside.txt",
                "/sub/../../outside.txt",
                "/%2e%2e/outside.txt",
                "/..%2foutside.txt",
                "/sub/..\\..\\outside.txt",
                "//outside.txt",
                "/./sub/test.css",
                "/sub//test.css",
                "/sub/%74est.css",
                "/sub/test.css%00.js",
                "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a",
            })
    void otherPathsNameNoPage(String path) {
        Response response = get(path);
        assertThat(response.status()).isEqualTo(404);
        assertThat(response.headers())
                .containsEntry("Content-Type", "application/problem+json")
                .containsKey("Content-Security-Policy");
    }

    @Test
    void directoryIsNotListed() {
        assertThat(get("/sub").text()).doesNotContain("test.css").contains("<html");
        assertThat(get("/sub/").text()).doesNotContain("test.css").contains("<html");
    }

    @Test
    void pagesAreOnlyRead() {
        Response response = pages.answer(Sent.post("/", "{}").request());
        assertThat(response.status()).isEqualTo(405);
        assertThat(response.headers()).containsEntry("Allow", "GET");
    }

    @Test
    void headersForbidForeignContent() {
        assertThat(get("/").sentHeaders())
                .containsEntry("X-Content-Type-Options", "nosniff")
                .containsEntry("Referrer-Policy", "no-referrer")
                .containsEntry("Cross-Origin-Opener-Policy", "same-origin")
                .containsKey("Permissions-Policy");
        assertThat(get("/").headers().get("Content-Security-Policy").split("; "))
                .containsExactlyInAnyOrder(
                        "default-src 'none'",
                        "script-src 'self'",
                        "style-src 'self'",
                        "img-src 'self' data:",
                        "connect-src 'self'",
                        "font-src 'self'",
                        "base-uri 'none'",
                        "form-action 'none'",
                        "frame-ancestors 'none'",
                        "require-trusted-types-for 'script'",
                        "trusted-types 'none'");
    }
}
