package io.ostraka.history.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values, names and distributions that need no database. */
class ValuesTest {
    @Test
    void textIsCutBetweenCharacters() {
        String face = "\uD83D\uDE00";
        assertThat(Values.text(face + face, 3)).isEqualTo(face);
        assertThat(Values.text(face + face, 4)).isEqualTo(face + face);
        assertThat(Values.text("\0a\uDE00\uD83D", 9)).isEqualTo("\uFFFDa\uFFFD\uFFFD");
        assertThat(Values.text("abc", 0)).isEmpty();
    }

    @Test
    void extremeTimesBecomeNearestNumber() {
        assertThat(Values.millis(Instant.MAX)).isEqualTo(Long.MAX_VALUE);
        assertThat(Values.millis(Instant.MIN)).isEqualTo(Long.MIN_VALUE);
        assertThat(Values.millis(Duration.ofSeconds(-1))).isZero();
        assertThat(Values.millis(Duration.ofSeconds(Long.MAX_VALUE))).isPositive();
        assertThat(Rollups.hour(Instant.parse("1969-12-31T23:59:59Z"))).isEqualTo(-3_600_000);
        assertThat(Rollups.hour(Instant.MIN)).isEqualTo(Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a.", "a.b.c", "1a", "a-b", "a;b", "a\"", "a b", "x123456789012345678901234567890"})
    void refusesOtherPrefixes(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TablePrefix(text))
                .withMessageContaining("'" + text + "'");
    }

    @Test
    void prefixMayHaveSchema() {
        assertThat(new TablePrefix("operations.h_").of(ItemRunTable.TABLE)).isEqualTo("operations.h_item_run");
        assertThat(new TablePrefix("operations.h_").withoutSchema()).isEqualTo("h_");
        assertThat(TablePrefix.DEFAULT.withoutSchema()).isEqualTo("ostraka_");
    }

    @Test
    void unknownDatabaseIsNamed() throws SQLException {
        assertThat(Dialect.of(connectionTo("MariaDB"))).isEqualTo(Dialect.MYSQL);
        assertThatExceptionOfType(HistorySchemaException.class)
                .isThrownBy(() -> Dialect.of(connectionTo("Oracle")))
                .withMessageEndingWith("'Oracle'; accepted: PostgreSQL, MariaDB, H2");
    }

    private static Connection connectionTo(String product) {
        DatabaseMetaData metaData = proxy(DatabaseMetaData.class, product);
        return proxy(Connection.class, metaData);
    }

    private static <T> T proxy(Class<T> type, Object result) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> result));
    }

    @Test
    void bucketsGrowByConstantFactor() {
        assertThat(List.of(RunTimes.bucket(0), RunTimes.bucket(1), RunTimes.bucket(1.01), RunTimes.bucket(2.5)))
                .containsExactly(0, 0, 1, 1);
        assertThat(RunTimes.bucket(Math.pow(2.5, 18))).isEqualTo(18);
        assertThat(RunTimes.bucket(1e300)).isEqualTo(19);
    }

    @Test
    void percentilesAreBoundsOfBuckets() {
        List<Long> buckets = new java.util.ArrayList<>(Collections.nCopies(RunTimes.BUCKETS, 0L));
        var none = new RunTimes(buckets, Duration.ZERO);
        assertThat(none.percentile(0.5)).isEmpty();
        buckets.set(0, 50L);
        buckets.set(2, 50L);
        var times = new RunTimes(buckets, Duration.ofMillis(5));
        assertThat(times.percentile(0)).contains(Duration.ofMillis(1));
        assertThat(times.percentile(0.5)).contains(Duration.ofMillis(1));
        assertThat(times.percentile(0.51)).contains(Duration.ofMillis(5));
        assertThat(times.plus(times).count()).isEqualTo(200);
        assertThatIllegalArgumentException().isThrownBy(() -> times.percentile(95));
        assertThatIllegalArgumentException().isThrownBy(() -> times.percentile(Double.NaN));
    }
}
