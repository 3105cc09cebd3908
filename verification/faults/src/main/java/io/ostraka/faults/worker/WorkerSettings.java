package io.ostraka.faults.worker;

import io.ostraka.faults.database.HistoryAccess;
import io.ostraka.faults.mutants.Mutant;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker process, passed as its only argument.
 *
 * @param name unique name of the worker; never used again
 * @param servers connect string of ZooKeeper
 * @param resourcePort port of the resource on this machine
 * @param requestPort port of the resource for HTTP requests
 * @param begun time at which the resource was started; the same for all workers
 * @param seed determines how runs behave
 * @param events file for its events
 * @param mutant defect to insert between the engine and ZooKeeper; null for none
 * @param history database and spool of the worker's history; null for none
 */
record WorkerSettings(
        String name,
        String servers,
        String namespace,
        long sessionTimeoutMillis,
        int resourcePort,
        int requestPort,
        Instant begun,
        long seed,
        String events,
        @Nullable Mutant mutant,
        @Nullable HistoryAccess history) {
    /**
     * Returns the path of the file whose existence makes the scripts of runs take no time. It exists only in the hurry
     * mode.
     */
    String hurried() {
        return events + ".hurried";
    }

    String json() {
        return Json.GSON.toJson(this);
    }

    static WorkerSettings parse(String json) {
        return Json.GSON.fromJson(json, WorkerSettings.class);
    }
}
