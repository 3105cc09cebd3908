package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.console.live.Frames.Received;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventFrameTest {
    @Test
    void frameHasIdTypeAndData() {
        assertThat(text(new EventFrame("e-1", "job", "{}"))).isEqualTo("id: e-1\nevent: job\ndata: {}\n\n");
        assertThat(text(new EventFrame(null, "job", "{}"))).isEqualTo("event: job\ndata: {}\n\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\n\nevent: job-removed\ndata: forged",
                "a\r\rdata: forged",
                "a\r\n\r\nid: 9",
                "\n",
                "\r",
                "\n\n\n",
                ":comment",
                "id: 9",
                "data: x\nretry: 1",
                " leading blank",
                "\uFEFFmark",
                "null \u0000 unit \u001f",
                "next line \u0085, separators \u2028 \u2029, vertical \u000B\f",
                "äöü 漢字 \uD83D\uDE00",
                ""
            })
    void hostileDataStaysInItsEvent(String data) {
        List<Received> events = read(new EventFrame("e-1", "job", data), new EventFrame("e-2", "job", "{}"));
        assertThat(events)
                .containsExactly(
                        new Received("job", data.replace("\r\n", "\n").replace('\r', '\n'), "e-1"),
                        new Received("job", "{}", "e-2"));
    }

    @Test
    void randomDataStaysInItsEvent() {
        SplittableRandom random = new SplittableRandom(7);
        String[] parts = {"\r", "\n", ":", " ", "data", "id", "event", "retry", "x", "é", "\0"};
        for (int i = 0; i < 20_000; i++) {
            StringBuilder data = new StringBuilder();
            for (int part = random.nextInt(12); part > 0; part--) {
                data.append(parts[random.nextInt(parts.length)]);
            }
            Frames frames = new Frames();
            List<Received> events = frames.read(new EventFrame("e-1", "job", data.toString()).bytes());
            assertThat(events).hasSize(1);
            assertThat(events.get(0).type()).isEqualTo("job");
            assertThat(frames.lastId()).isEqualTo("e-1");
            assertThat(frames.retry()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "a\rb", "a\0b", "\u007f"})
    void typeWithControlCharactersIsRefused(String type) {
        assertThatThrownBy(() -> new EventFrame("e-1", type, "")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\rb", "a\0b"})
    void idWithControlCharactersIsRefused(String id) {
        assertThatThrownBy(() -> new EventFrame(id, "job", "")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void halfOfASurrogatePairBecomesAQuestionMark() {
        assertThat(text(new EventFrame(null, "job", "\uD83D"))).isEqualTo("event: job\ndata: ?\n\n");
    }

    @Test
    void heartbeatAndRetryAreNoEvents() {
        Frames frames = new Frames();
        assertThat(frames.read(EventFrame.heartbeat())).isEmpty();
        assertThat(frames.read(EventFrame.retry(Duration.ofSeconds(3)))).isEmpty();
        assertThat(frames.comments()).isEqualTo(1);
        assertThat(frames.retry()).isEqualTo("3000");
    }

    private static List<Received> read(EventFrame first, EventFrame second) {
        byte[] a = first.bytes();
        byte[] b = second.bytes();
        byte[] both = new byte[a.length + b.length];
        System.arraycopy(a, 0, both, 0, a.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return new Frames().read(both);
    }

    private static String text(EventFrame frame) {
        return new String(frame.bytes(), StandardCharsets.UTF_8);
    }
}
