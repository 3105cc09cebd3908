package io.ostraka.core.schedule;

import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.RememberedFireTimes;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The fire times of another schedule without the excluded times. The search goes through the pieces of {@link
 * ExcludedTimes}, skips pieces without fires, and gets all fires of a piece in one step. Its cost depends on the number
 * of visited pieces, not on the number of fires.
 */
final class ExcludingFireTimes implements FireTimes {
    private final FireTimes all;
    private final ExcludedTimes excluded;

    ExcludingFireTimes(FireTimes all, ExcludedTimes excluded) {
        this.all = all;
        this.excluded = excluded;
    }

    @Override
    public Optional<Instant> next(Instant after) {
        Optional<Instant> fire = all.next(after);
        for (int piece = 0; fire.filter(excluded::contains).isPresent(); piece++) {
            if (piece == ExcludedTimes.MOST_PIECES) {
                return Optional.empty();
            }
            fire = all.next(before(excluded.to(fire.get())));
        }
        return fire;
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        Deque<Instant> found = new ArrayDeque<>();
        Instant end = upTo;
        for (int piece = 0; piece < ExcludedTimes.MOST_PIECES && found.size() < max; piece++) {
            List<Instant> last = after.isBefore(end) ? all.latest(after, end, 1) : List.of();
            if (last.isEmpty()) {
                break;
            }
            Instant fire = last.get(0);
            Instant beforePiece = before(excluded.from(fire));
            if (!excluded.contains(fire)) {
                Instant from = beforePiece.isAfter(after) ? beforePiece : after;
                List<Instant> ofPiece = all.latest(from, fire, max - found.size());
                for (int i = ofPiece.size() - 1; i >= 0; i--) {
                    found.addFirst(ofPiece.get(i));
                }
                piece = 0;
            }
            end = beforePiece;
        }
        return List.copyOf(found);
    }

    @Override
    public long shortestGap() {
        return all.shortestGap();
    }

    @Override
    public FireTimes remembering() {
        return new RememberedFireTimes(this, false);
    }

    @Override
    public long count(Instant after, Instant upTo) {
        long count = 0;
        Instant from = after;
        boolean byArithmetic = all instanceof FixedRateFireTimes;
        for (int piece = 0; piece < COUNT_LIMIT && (byArithmetic || count < COUNT_LIMIT); piece++) {
            Optional<Instant> fire = all.next(from).filter(next -> !next.isAfter(upTo));
            if (fire.isEmpty()) {
                return count;
            }
            Instant last = before(excluded.to(fire.get()));
            Instant to = last.isBefore(upTo) ? last : upTo;
            if (!excluded.contains(fire.get())) {
                count += all.count(before(fire.get()), to);
            }
            from = to;
        }
        return Math.max(count, COUNT_LIMIT);
    }

    private static Instant before(Instant instant) {
        return instant.minusMillis(1);
    }
}
