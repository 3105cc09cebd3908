package io.ostraka.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what the fence rejects before it sends a statement. */
class JdbcFenceTest {
    @ParameterizedTest
    @ValueSource(strings = {"fence", "Orders.Fence_2", "_f"})
    void acceptsNameOfTable(String table) {
        assertThat(new JdbcFence(table).ddl()).contains(" " + table + " ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " fence",
                "fence;",
                "fence\n",
                "a.b.c",
                ".fence",
                "orders.",
                "2fence",
                "fence--",
                "\"fence\"",
                "fence where 1=1",
                "zäune",
                "a123456789012345678901234567890123456789012345678901234567890123"
            })
    void rejectsTextThatIsNoNameOfTable(String table) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JdbcFence(table))
                .withMessageContaining("'" + table + "'")
                .withMessageContaining("accepted: table or schema.table");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1", "0, 1, 0", "0, -5, 1", "*, 1, 1"})
    void rejectsValuesThatNoRunHas(String item, long token, long generation) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JdbcFence().check(null, "settle", item, token, generation))
                .withMessageContaining("job 'settle' item " + item)
                .withMessageContaining("accepted:");
    }
}
