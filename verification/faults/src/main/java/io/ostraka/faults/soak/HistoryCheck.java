package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.faults.database.HistoryComparison;
import io.ostraka.faults.database.Successor;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.RecordedClaim;
import io.ostraka.faults.history.RecordedClaims;
import io.ostraka.faults.worker.Worker;
import io.ostraka.faults.worker.Workload;
import io.ostraka.history.Account;
import io.ostraka.lite.ZooKeeperOperations;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Compares the history that the workers have written to the database with the recorded events.
 *
 * @param figures counts, by name
 * @param missing descriptions of everything that is missing or wrong: decided claims without a row, unknown parts of
 *     accounts, and the violations
 * @param violations facts that contradict the promises of the history
 */
record HistoryCheck(Map<String, Long> figures, List<String> missing, List<String> violations) {
    /** Kind under which the violations of this check are reported. */
    static final String SORT = "history";

    /** Longest time that the delivery of the rows in all spools may take. */
    private static final Duration DRAINING = Duration.ofMinutes(2);
    /**
     * Margin by which the account begins before the soak, because the clocks of workers may be wrong by some seconds.
     */
    private static final Duration BEFORE = Duration.ofMinutes(1);

    /**
     * Delivers the remaining rows of the spools, then checks the tables. Requires that all workers have ended and that
     * all servers run.
     *
     * @param begun time before the first worker started
     */
    static HistoryCheck of(Site site, List<Event> history, Instant begun) throws IOException, InterruptedException {
        List<String> violations = new ArrayList<>();
        try (var successor = new Successor(site.database().access(), Site.NAMESPACE)) {
            if (!successor.drain(DRAINING)) {
                violations.add("the spools were not delivered within " + DRAINING.toSeconds() + " s");
            }
            if (successor.hasRejected()) {
                violations.add("rows were rejected; see rejected.txt in the directory of the spools");
            }
            Set<String> killed = site.places().stream()
                    .flatMap(place -> place.everyone().stream())
                    .filter(Worker::hasBeenKilled)
                    .map(Worker::name)
                    .collect(Collectors.toSet());
            List<RecordedClaim> claims = RecordedClaims.of(history);
            HistoryComparison compared = HistoryComparison.of(claims, successor.stored());
            violations.addAll(compared.violations());
            Predicate<String> wasKilled = process -> killed.contains(process.substring(0, process.indexOf('@')));
            violations.addAll(compared.unexplained(claims, wasKilled));
            List<RecordedClaim> lost = compared.lostWithTheTaker(claims, wasKilled);
            compared.missing().stream()
                    .filter(each -> !lost.contains(each))
                    .forEach(each -> violations.add("no row: " + each));
            List<String> missing = new ArrayList<>(
                    compared.missing().stream().map(RecordedClaim::toString).toList());
            List<String> unknown = unknown(site, successor, begun, lost, violations);
            Map<String, Long> figures = new TreeMap<>();
            figures.put("claims decided", compared.claims());
            figures.put("rows", compared.rows());
            figures.put("workers killed", (long) killed.size());
            figures.put("unknown parts of accounts", (long) unknown.size());
            figures.put("rows missing", (long) missing.size());
            compared.missingByDecision()
                    .forEach((decision, number) -> figures.put(
                            "rows missing, "
                                    + decision.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                            number));
            missing.addAll(unknown);
            missing.addAll(violations);
            return new HistoryCheck(figures, missing, violations);
        } catch (SQLException e) {
            throw new IOException("the history could not be read", e);
        }
    }

    /**
     * Returns the unknown parts of the accounts of all jobs. Adds a violation for each job without an account, and for
     * each part that no lost row explains.
     *
     * @param lost claims whose rows are lost
     */
    private static List<String> unknown(
            Site site, Successor successor, Instant begun, List<RecordedClaim> lost, List<String> violations)
            throws SQLException {
        List<String> unknown = new ArrayList<>();
        try (var operations = ZooKeeperOperations.connect(site.ensemble().servers(), Site.NAMESPACE)) {
            for (JobConfiguration job : Workload.jobs()) {
                Account account =
                        successor.account(operations.operations(), job.jobName(), begun.minus(BEFORE), Instant.now());
                if (account.refusal() != null) {
                    violations.add("job " + job.jobName() + " has no account: " + account.refusal());
                }
                account.entries().stream()
                        .filter(entry -> entry.state() == Account.State.UNKNOWN)
                        .forEach(entry -> {
                            unknown.add(job.jobName() + " " + entry);
                            if (lost.stream().noneMatch(each -> explains(each, job.jobName(), entry))) {
                                violations.add("not accounted for: " + job.jobName() + " " + entry);
                            }
                        });
            }
        }
        return unknown;
    }

    private static boolean explains(RecordedClaim lost, String job, Account.Entry entry) {
        return lost.item().equals(new Item(job, entry.item()))
                && !lost.cursorBefore().isBefore(entry.from())
                && lost.cursorBefore().isBefore(entry.to());
    }
}
