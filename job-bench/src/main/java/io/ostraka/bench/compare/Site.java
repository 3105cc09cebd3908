package io.ostraka.bench.compare;

import io.ostraka.faults.ensemble.Ensemble;
import io.ostraka.faults.ensemble.TransactionLogs;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Where a scenario takes place.
 *
 * @param entrant who is measured
 * @param ensemble its own
 * @param directory for all that is written
 * @param random when in a fire something happens, and to whom
 * @param out for what is said meanwhile
 */
record Site(Participant entrant, Ensemble ensemble, Path directory, Random random, PrintStream out) {
    /** Returns a cluster without workers. */
    Cluster cluster(String namespace, Duration session, List<RecurringJob> jobs) throws IOException {
        return new Cluster(entrant, ensemble.servers(), namespace, session, jobs, directory.resolve(namespace));
    }

    /** Reads what was committed, once the sessions of all workers, who are gone, are over. */
    TransactionLogs logs(Duration session) throws IOException, InterruptedException {
        Thread.sleep(session.multipliedBy(2).toMillis());
        return ensemble.transactionLogs();
    }

    void done(String scenario, int of, int tries) {
        out.println(scenario + " " + entrant.name() + ": " + of + " of " + tries);
    }
}
