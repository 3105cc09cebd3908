package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoomTest {
    private final List<Boolean> saturation = new ArrayList<>();
    private final Room room = new Room(3, saturation::add);
    private final List<String> told = new ArrayList<>();

    private Room.Guest guest(String name) {
        return room.guest(() -> told.add(name));
    }

    @Test
    void thereAreAsManyPlacesAsTheRoomHas() {
        assertThat(guest("a").take(2)).isEqualTo(2);
        assertThat(guest("b").take(2)).isEqualTo(1);
        assertThat(guest("c").take(2)).isZero();
        assertThat(room.taken()).isEqualTo(3);
    }

    @Test
    void whoGotLessThanWantedIsToldOfAPlaceAndItIsKept() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        Room.Guest c = guest("c");
        a.take(3);
        b.take(2);
        room.release();
        assertThat(told).containsExactly("b");

        assertThat(c.take(1)).isZero(); // nobody overtakes
        assertThat(b.take(2)).isEqualTo(1);
    }

    @Test
    void placesGoRoundOneAtATime() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        Room.Guest c = guest("c");
        a.take(3);
        b.take(100);
        c.take(1);
        room.release();
        b.take(100);
        room.release();
        assertThat(told).containsExactly("b", "c");

        assertThat(c.take(1)).isEqualTo(1);
        room.release();
        assertThat(told).containsExactly("b", "c", "b");
    }

    @Test
    void whatIsKeptForOneThatNeedsItNoLongerGoesToTheNext() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        Room.Guest c = guest("c");
        a.take(3);
        b.take(1);
        c.take(1);
        room.release();
        b.leave();

        assertThat(told).containsExactly("b", "c");
        assertThat(c.take(1)).isEqualTo(1);
    }

    @Test
    void whoHasLeftIsNotToldAndKeepsNothing() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        a.take(3);
        b.take(1);
        b.leave();
        room.release();

        assertThat(told).isEmpty();
        assertThat(guest("c").take(1)).isEqualTo(1);
    }

    @Test
    void aRoomIsSaturatedFromTheFirstThatGotNoPlaceUntilOneIsLeftOver() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        a.take(3);
        assertThat(saturation).isEmpty();
        b.take(1);
        assertThat(saturation).containsExactly(true);

        room.release();
        b.take(1);
        assertThat(saturation).containsExactly(true);
        room.release();
        assertThat(saturation).containsExactly(true, false);
    }

    @Test
    void whatHasBegunWithoutAPlaceIsCountedAllTheSame() {
        Room.Guest a = guest("a");
        a.take(3);
        room.squeezeIn();
        room.release();

        assertThat(guest("b").take(1)).isZero();
        room.release();
        assertThat(told).containsExactly("b");
    }

    @Test
    void whoKnocksHasAPlaceKeptOrIsToldOfOneInItsTurn() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        Room.Guest c = guest("c");
        a.take(2);
        assertThat(b.knock()).isTrue();
        assertThat(b.knock()).isTrue(); // it is the same place
        assertThat(c.knock()).isFalse();
        assertThat(saturation).containsExactly(true);
        assertThat(told).isEmpty();

        assertThat(b.take(1)).isEqualTo(1);
        room.release();
        assertThat(told).containsExactly("c");
        assertThat(c.knock()).isTrue();
        assertThat(c.take(1)).isEqualTo(1);
    }

    @Test
    void nobodyOvertakesByKnocking() {
        Room.Guest a = guest("a");
        Room.Guest b = guest("b");
        Room.Guest c = guest("c");
        a.take(3);
        b.take(1);
        assertThat(c.knock()).isFalse();
        room.release();
        assertThat(c.knock()).isFalse();
        b.leave();
        assertThat(told).containsExactly("b", "c");
        assertThat(c.knock()).isTrue();
    }
}
