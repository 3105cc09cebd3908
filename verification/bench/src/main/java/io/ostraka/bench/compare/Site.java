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
 * The environment of a scenario.
 *
 * @param entrant measured entrant
 * @param ensemble ensemble for this entrant alone
 * @param directory directory for all files
 * @param random source of the times and the targets of faults
 * @param out receives progress lines
 */
record Site(Participant entrant, Ensemble ensemble, Path directory, Random random, PrintStream out) {
    /** Returns a cluster without workers. */
    Cluster cluster(String namespace, Duration session, List<RecurringJob> jobs) throws IOException {
        return new Cluster(entrant, ensemble.servers(), namespace, session, jobs, directory.resolve(namespace));
    }

    /**
     * Waits until the sessions of all workers have expired, and then reads the committed transactions. All workers must
     * have ended before.
     */
    TransactionLogs logs(Duration session) throws IOException, InterruptedException {
        Thread.sleep(session.multipliedBy(2).toMillis());
        return ensemble.transactionLogs();
    }

    void done(String scenario, int of, int tries) {
        out.println(scenario + " " + entrant.name() + ": " + of + " of " + tries);
    }
}
