package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.util.Map;
import java.util.TreeMap;

/** Checks that no write replaces a job's definition with one of a lower revision. */
final class DefinitionsKept extends Invariant {
    /** Highest revision seen so far, by job. */
    private final Map<String, Long> revisions = new TreeMap<>();

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String[] parts = write.path().split("/", -1);
            if (parts.length == 4 && parts[1].equals("jobs") && parts[3].equals("config")) {
                if (write instanceof Write.Created created) {
                    defined(parts[2], State.json(created.data()));
                } else if (write instanceof Write.Changed changed) {
                    defined(parts[2], State.json(changed.data()));
                } else {
                    revisions.remove(parts[2]);
                }
            }
        }
    }

    private void defined(String job, JsonObject definition) {
        long revision = definition.get("revision").getAsLong();
        Long highest = revisions.merge(job, revision, Math::max);
        expect(revision == highest, "the revision of job " + job + " does not fall", definition, null);
    }
}
