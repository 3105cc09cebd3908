package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Checks that skipped fires stay skipped. An operator skips all fires up to a certain time. This time never decreases,
 * neither in the override nor in the plan, and each plan contains the time of its override. No fire before the time in
 * the present plan starts, and only such fires are recorded as skipped by an operator. A command that sets back a
 * cursor sets it to the present, and only if the item is idle and the cursor is in the future.
 */
final class SkipsKept extends Invariant {
    /** Largest error of an estimate of the server's clock, plus the duration of a request. */
    private static final Duration PRECISION = Duration.ofSeconds(20);

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            String data = write.data();
            if (parts.length == 4 && parts[1].equals("jobs") && !data.isEmpty()) {
                if (parts[3].equals("override")) {
                    Optional<Instant> last = before.override(parts[2]).flatMap(SkipsKept::skipTo);
                    expect(
                            reaches(skipTo(State.json(data)), last),
                            "the override of job " + parts[2] + " skips no less than before",
                            data,
                            null);
                } else if (parts[3].equals("sharding")) {
                    planned(parts[2], before.writtenPlan(data), before);
                }
            }
        }
    }

    private void planned(String job, WrittenPlan plan, State before) {
        WrittenPlan last = before.plan(job);
        boolean kept = last == null || reaches(plan.skipTo(), last.skipTo());
        expect(kept, "a plan of job " + job + " skips no less than the one before", plan.json, null);
        JsonObject override = before.override(job, plan.overrideMzxid());
        boolean contained = override == null || reaches(plan.skipTo(), skipTo(override));
        expect(contained, "a plan of job " + job + " skips what its override skips", plan.json, null);
    }

    private static Optional<Instant> skipTo(JsonObject override) {
        return override.has("skipTo")
                ? Optional.of(Instant.parse(override.get("skipTo").getAsString()))
                : Optional.empty();
    }

    private static boolean reaches(Optional<Instant> now, Optional<Instant> before) {
        return before.isEmpty() || now.filter(at -> !at.isBefore(before.get())).isPresent();
    }

    @Override
    void move(Move move, State before) {
        WrittenPlan plan = before.plan(move.item().job());
        if (move.setsBack()) {
            setBack(move);
        }
        if (plan == null || move.rewrites()) {
            return;
        }
        if (move.claims() && move.next().attempt() == 1 && !move.next().triggered()) {
            boolean skipped = plan.skips(move.next().fireTime());
            expect(!skipped, "no fire before " + plan.skipTo() + " starts", move, move.item());
        }
        if (!move.next().skipped().equals(move.before().skipped())) {
            for (WrittenRecord.Skipped each : move.next().skipped()) {
                boolean justified = !each.reason().equals("SKIPPED_BY_OPERATOR") || plan.skips(each.to());
                expect(justified, "an operator has skipped " + each, move, move.item());
            }
        }
    }

    private void setBack(Move move) {
        WrittenRecord last = move.before();
        WrittenRecord next = move.next();
        Instant now = move.by().at();
        boolean idle = last.state.equals("IDLE") && next.sameExcept(last, "cursor", "endedAt", "setBack");
        expect(idle, "only the cursor of an idle item is set back", move, move.item());
        boolean future = last.cursor.isAfter(now.minus(PRECISION));
        expect(future, "only a cursor in the future is set back, at " + now, move, move.item());
        boolean present = !next.cursor.isAfter(now.plus(PRECISION))
                && !next.cursor.isBefore(now.minus(PRECISION))
                && next.cursor.isBefore(last.cursor);
        expect(present, "a cursor is set back to the present, " + now, move, move.item());
    }
}
