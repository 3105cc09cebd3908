package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunSlotsTest {
    private final List<Boolean> saturation = new ArrayList<>();
    private final RunSlots.Pool pool = new RunSlots(reported(), 3, 1, 1).pool(new RunSlots.Speed());
    private final List<String> served = new ArrayList<>();

    /** A platform whose timer records when a report of missing slots is scheduled, and when it is cancelled. */
    private Platform reported() {
        Platform plain = TestRun.onCallersThread();
        Timer recording = new Timer() {
            @Override
            public Runnable after(Duration delay, Runnable wake) {
                saturation.add(true);
                return () -> saturation.add(false);
            }

            @Override
            public void close() {}
        };
        return new Platform(
                plain.clock(), plain.fireTimer(), recording, plain.engineThreads(), plain.workers(), plain.waiting());
    }

    private RunSlots.Pool.Request request(String name) {
        return pool.request(() -> served.add(name));
    }

    @Test
    void givesNoMoreSlotsThanItHas() {
        assertThat(request("a").take(2)).isEqualTo(2);
        assertThat(request("b").take(2)).isEqualTo(1);
        assertThat(request("c").take(2)).isZero();
        assertThat(pool.taken()).isEqualTo(3);
    }

    @Test
    void reservesAFreeSlotForTheRequestThatWaits() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        RunSlots.Pool.Request c = request("c");
        a.take(3);
        b.take(2);
        pool.release();
        assertThat(served).containsExactly("b");

        assertThat(c.take(1)).isZero();
        assertThat(b.take(2)).isEqualTo(1);
    }

    @Test
    void servesWaitingRequestsInTurnOneSlotEach() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        RunSlots.Pool.Request c = request("c");
        a.take(3);
        b.take(100);
        c.take(1);
        pool.release();
        b.take(100);
        pool.release();
        assertThat(served).containsExactly("b", "c");

        assertThat(c.take(1)).isEqualTo(1);
        pool.release();
        assertThat(served).containsExactly("b", "c", "b");
    }

    @Test
    void passesAWithdrawnReservationToTheNextRequest() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        RunSlots.Pool.Request c = request("c");
        a.take(3);
        b.take(1);
        c.take(1);
        pool.release();
        b.withdraw();

        assertThat(served).containsExactly("b", "c");
        assertThat(c.take(1)).isEqualTo(1);
    }

    @Test
    void servesNoRequestThatHasWithdrawn() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        a.take(3);
        b.take(1);
        b.withdraw();
        pool.release();

        assertThat(served).isEmpty();
        assertThat(request("c").take(1)).isEqualTo(1);
    }

    @Test
    void isSaturatedUntilASlotIsFree() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        a.take(3);
        assertThat(saturation).isEmpty();
        b.take(1);
        assertThat(saturation).containsExactly(true);

        pool.release();
        b.take(1);
        assertThat(saturation).containsExactly(true);
        pool.release();
        assertThat(saturation).containsExactly(true, false);
    }

    @Test
    void countsRunThatBeganWithoutSlot() {
        RunSlots.Pool.Request a = request("a");
        a.take(3);
        pool.takeUnasked();
        pool.release();

        assertThat(request("b").take(1)).isZero();
        pool.release();
        assertThat(served).containsExactly("b");
    }

    @Test
    void reservesOneSlotNowOrInTurn() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        RunSlots.Pool.Request c = request("c");
        a.take(2);
        assertThat(b.reserveOne()).isTrue();
        assertThat(b.reserveOne()).isTrue(); // still the same slot
        assertThat(c.reserveOne()).isFalse();
        assertThat(saturation).containsExactly(true);
        assertThat(served).isEmpty();

        assertThat(b.take(1)).isEqualTo(1);
        pool.release();
        assertThat(served).containsExactly("c");
        assertThat(c.reserveOne()).isTrue();
        assertThat(c.take(1)).isEqualTo(1);
    }

    @Test
    void noReservationOvertakesAWaitingRequest() {
        RunSlots.Pool.Request a = request("a");
        RunSlots.Pool.Request b = request("b");
        RunSlots.Pool.Request c = request("c");
        a.take(3);
        b.take(1);
        assertThat(c.reserveOne()).isFalse();
        pool.release();
        assertThat(c.reserveOne()).isFalse();
        b.withdraw();
        assertThat(served).containsExactly("b", "c");
        assertThat(c.reserveOne()).isTrue();
    }
}
