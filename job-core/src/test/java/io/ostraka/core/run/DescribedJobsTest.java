package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.HttpJob;
import io.ostraka.api.ScriptJob;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that scripts and requests are validated at construction, and that their {@code toString} shows no secrets. */
class DescribedJobsTest {
    private static final URI TARGET = URI.create("https://billing.example.com/settle?token=hunter2");

    private final ScriptJob.Builder script = ScriptJob.command("settle.sh", "--token", "hunter2");
    private final HttpJob.Builder request = HttpJob.request("POST", TARGET);

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "OSTRAKA_FENCING_TOKEN", "A=B", "A\0"})
    void refusesInvalidOrReservedVariable(String name) {
        assertThatThrownBy(() -> script.environment(name, "value")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> script.passEnvironment(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> script.environment(name, () -> new char[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesCommandWithoutProgram() {
        assertThatThrownBy(() -> ScriptJob.command(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ScriptJob.command("sh", "-c", "\0")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> script.environment("NAME", "\0")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Host", "content-length", "Transfer-Encoding", "ostraka-fencing-token", "X: Y", "X\r\n"})
    void refusesInvalidOrReservedHeader(String name) {
        assertThatThrownBy(() -> request.header(name, "value")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> request.header(name, () -> new char[0])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesHeaderInjection() {
        assertThatThrownBy(() -> request.header("Accept", "*/*\r\nX-Evil: 1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Accept");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ftp://a.com/", "file:///etc/passwd", "/settle", "https:///settle", "http://u:hunter2@a.com/"})
    void refusesInvalidTarget(String uri) {
        assertThatThrownBy(() -> HttpJob.request("GET", URI.create(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("accepted")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void refusesInvalidMethodOrTimeout() {
        assertThatThrownBy(() -> HttpJob.request("GET /x", TARGET)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HttpJob.request("CONNECT", TARGET)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> request.requestTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("requestTimeout", "PT0S");
        assertThatThrownBy(() -> request.connectTimeout(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void textOfDescribedJobHasNoSecrets() {
        assertThat(script.build()).hasToString("script 'settle.sh'");
        assertThat(request.build()).hasToString("POST https://billing.example.com/settle");
    }

    @Test
    void describedJobIsImmutable() {
        ScriptJob job = script.environment("A", "1").build();
        script.environment("B", "2").passEnvironment("HOME");
        assertThat(job.environment()).containsOnlyKeys("A");
        assertThat(job.passedEnvironment()).isEmpty();

        byte[] body = {1};
        HttpJob http = request.body(body).build();
        body[0] = 2;
        http.body()[0] = 3;
        request.header("Accept", "*/*");
        assertThat(http.body()).containsExactly((byte) 1);
        assertThat(http.headers()).isEmpty();
    }
}
