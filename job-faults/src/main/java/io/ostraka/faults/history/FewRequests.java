package io.ostraka.faults.history;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * I6: in the calm a fire costs an instance two transactions, and nothing is read but by the look at everything that each
 * instance takes now and then.
 */
final class FewRequests extends Invariant {
    /** How often at most. */
    private static final Duration LOOK = Duration.ofSeconds(20);
    /** Reads of one item, job or instance at such a look, of the leader's and of the owner's. */
    private static final int READS = 16;

    private final Map<String, Event.Requests> atFirst = new HashMap<>();
    private final Map<Long, Set<String>> firesOfSessions = new HashMap<>();
    private final Map<String, Set<Long>> sessionsOfProcesses = new HashMap<>();

    @Override
    void move(Move move, State before) {
        if (move.claims() && before.calm() != null) {
            firesOfSessions
                    .computeIfAbsent(move.by().session(), session -> new HashSet<>())
                    .add(move.item().job() + "/" + move.next().fire());
        }
    }

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Began began) {
            sessionsOfProcesses
                    .computeIfAbsent(began.process(), process -> new HashSet<>())
                    .add(WrittenRecord.session(began.instance()));
        } else if (event instanceof Event.Requests requests) {
            Event.Requests first = atFirst.putIfAbsent(requests.process(), requests);
            if (first != null) {
                compare(first, requests, before);
            }
        }
    }

    private void compare(Event.Requests first, Event.Requests last, State before) {
        long fires = sessionsOfProcesses.getOrDefault(first.process(), Set.of()).stream()
                .mapToLong(session ->
                        firesOfSessions.getOrDefault(session, Set.of()).size())
                .sum();
        long transactions = last.transactions() - first.transactions();
        // what was claimed before the calm may end in it
        expect(
                transactions <= 2 * fires + before.jobs().size(),
                "two transactions a fire in " + first.process() + ": " + transactions + " for " + fires + " fires",
                null,
                null);
        long looks = 1 + Duration.between(first.at(), last.at()).dividedBy(LOOK);
        long things = before.below("/instances").size() + 1;
        for (String job : before.jobs()) {
            things += 1 + before.records(job).size();
        }
        long reads = last.reads() - first.reads();
        boolean steady = before.jobs().stream().allMatch(job -> Recovers.isLibrarys(job, before));
        expect(!steady || reads <= looks * READS * things, reads + " reads in " + first.process(), null, null);
    }
}
