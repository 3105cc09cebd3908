package io.ostraka.core.meter;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.metrics.JobMetrics;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Meters;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.core.CapturedErrors;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MeterBookTest {
    private static final Load LOAD =
            new Load(Map.of(), new Load.Workers(0, 0, 0, 0, 0), new Load.Lanes(0, 0, 0, 0), Load.Pool.NONE);

    private final List<String> told = new ArrayList<>();

    private static Meters meters(InvocationHandler handler) {
        return (Meters) Proxy.newProxyInstance(Meters.class.getClassLoader(), new Class<?>[] {Meters.class}, handler);
    }

    private static void tellEverything(Meters meters) {
        meters.began(() -> LOAD);
        meters.started("a", Duration.ofMillis(1), Optional.of(Duration.ofMillis(2)));
        meters.started("b", Duration.ofMillis(3), Optional.empty());
        meters.retried("a");
        meters.ended("a", ItemOutcome.FAILED, Duration.ofMillis(4));
        meters.fenced("a");
        meters.misfired("a");
        meters.placeless("a");
        meters.skipped("a", SkipReason.MISFIRED, 7);
        meters.failedOver("a", FailoverReason.CRASHED);
    }

    @Test
    void metersThatThrowAreLoggedOnceAndOthersAreToldAll() throws Exception {
        MeterBook book = new MeterBook(
                () -> 0,
                List.of(
                        meters((proxy, method, args) -> {
                            throw new AssertionError("a defect of a binding");
                        }),
                        meters((proxy, method, args) -> told.add(method.getName()))));
        try (CapturedErrors log = new CapturedErrors()) {
            tellEverything(book);

            assertThat(log.text().split("failed; what they count is incomplete", -1))
                    .hasSize(2);
        }
        assertThat(told)
                .as("each event, so that none is left out here or above")
                .containsAll(Stream.of(Meters.class.getDeclaredMethods())
                        .filter(method -> !method.isSynthetic())
                        .map(Method::getName)
                        .toList());
        JobMetrics own = book.read(LOAD).jobs().get("a");
        assertThat(own.ended()).containsExactly(Map.entry(ItemOutcome.FAILED, 1L));
    }

    @Test
    void everyFigureIsItsJobsOwn() {
        MeterBook book = new MeterBook(() -> 0, List.of());
        tellEverything(book);

        Metrics read = book.read(LOAD);
        JobMetrics a = read.jobs().get("a");
        assertThat(a.waiting().max()).isEqualTo(Duration.ofMillis(1));
        assertThat(a.delay().max()).isEqualTo(Duration.ofMillis(2));
        assertThat(a.running().max()).isEqualTo(Duration.ofMillis(4));
        assertThat(List.of(a.retries(), a.fenced(), a.misfires(), a.placeless()))
                .containsOnly(1L);
        assertThat(a.skips(SkipReason.MISFIRED)).isEqualTo(7);
        assertThat(a.skips(SkipReason.OVERLAPPED)).isZero();
        assertThat(a.failovers(FailoverReason.CRASHED)).isEqualTo(1);
        assertThat(read.jobs().get("b").delay().count()).isZero();
        assertThat(read.jobs().get("b").waiting().count()).isEqualTo(1);
        assertThat(read.jobs().get("b").ended()).isEmpty();
    }
}
