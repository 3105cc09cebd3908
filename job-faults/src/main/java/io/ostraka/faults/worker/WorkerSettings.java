package io.ostraka.faults.worker;

import io.ostraka.faults.database.HistoryAccess;
import io.ostraka.faults.mutants.Mutant;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a worker process, passed as its only argument.
 *
 * @param name its name, which no other process ever has
 * @param servers connect string of ZooKeeper
 * @param resourcePort port of the resource on this machine
 * @param requestPort port of the resource for HTTP requests
 * @param begun start of the resource, the same for all workers
 * @param seed decides how runs behave
 * @param events file for its events
 * @param mutant defect between its engine and ZooKeeper; null for none
 * @param history place of its history; null for none
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
    /** Returns the path of the file that exists while runs take no time. */
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
