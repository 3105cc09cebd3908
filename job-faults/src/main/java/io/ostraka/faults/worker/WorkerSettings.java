package io.ostraka.faults.worker;

import io.ostraka.faults.mutants.Mutant;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a worker process is told at its start, as its one argument.
 *
 * @param name its own, which no other process ever has
 * @param servers ZooKeeper's, as a connect string
 * @param resourcePort the resource's, on this machine
 * @param requestPort the resource's for requests
 * @param begun when the resource was started, the same for all workers
 * @param seed decides how runs go
 * @param events the file that it records in
 * @param mutant the defect between its engine and ZooKeeper; null for none
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
        @Nullable Mutant mutant) {
    /** The file that is there when nothing is to take time. */
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
