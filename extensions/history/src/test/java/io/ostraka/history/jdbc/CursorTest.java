package io.ostraka.history.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {
    @Test
    void textBecomesSameCursor() {
        Cursor cursor = Cursor.after(Cursor.Order.RUNS, Long.MIN_VALUE, "a'\"\\\n/\uD83D\uDE00=&?");
        assertThat(cursor.text()).matches("[A-Za-z0-9_-]+");
        assertThat(Cursor.parse(cursor.text())).isEqualTo(cursor).hasSameHashCodeAs(cursor);
        assertThat(Cursor.parse(cursor.text()).values(Cursor.Order.RUNS))
                .isEqualTo(List.of(Long.MIN_VALUE, "a'\"\\\n/\uD83D\uDE00=&?"));
    }

    @Test
    void belongsToOneList() {
        Cursor cursor = Cursor.after(Cursor.Order.JOBS, "settle");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cursor.values(Cursor.Order.RUNS))
                .withMessageContainingAll("JOBS", "RUNS");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "null",
                "[\"RUNS\"]",
                "[\"RUNS\",1]",
                "[\"RUNS\",1,\"a\",2]",
                "[\"RUNS\",\"x\",\"a\"]",
                "[\"RUNS\",1.5,\"a\"]",
                "[\"RUNS\",99999999999999999999,\"a\"]",
                "[\"RUNS\",1,2]",
                "[\"RUNS\",1,null]",
                "[\"RUNS\",1,[\"a\"]]",
                "[\"RUNS\",1,\"a\\u0000\"]",
                "[\"OTHERS\",1,\"a\"]",
                "[\"JOBS\",\"a\""
            })
    void refusesOtherText(String json) {
        String text = Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cursor.parse(text))
                .withMessageContaining("is no cursor");
    }

    @Test
    void refusesTextThatIsNotEncoded() {
        for (String text : List.of("%", "a b", "ä", "x".repeat(100_000))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Cursor.parse(text))
                    .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
        }
    }
}
