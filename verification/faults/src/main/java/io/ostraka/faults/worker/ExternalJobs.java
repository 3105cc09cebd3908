package io.ostraka.faults.worker;

import io.ostraka.api.HttpJob;
import io.ostraka.api.ScriptJob;
import java.net.URI;

/**
 * Jobs whose work happens outside the worker's process and may continue after its death. Each run writes to the
 * resource with its fencing token at the beginning and at the end of its work.
 */
final class ExternalJobs {
    /** Header with the name of the worker, which the resource records. */
    static final String WORKER = "Worker";

    /**
     * Shell script of a run. Its arguments are the worker's name, the resource's port and the path of a file. While
     * this file exists, the run takes no time.
     */
    private static final String PROGRAM =
            """
            exec 3<>"/dev/tcp/127.0.0.1/$2"
            effect() {
              printf '{"process":"%s","job":"%s","item":"%s","token":%s,"generation":%s}\\n' "$1" "$OSTRAKA_JOB_NAME" \
                "$OSTRAKA_SHARDING_ITEM" "$OSTRAKA_FENCING_TOKEN" "$OSTRAKA_GENERATION_TOKEN" >&3
              read -r answer <&3 && [ "$answer" = accepted ] || exit 3
            }
            effect "$1"
            if [ ! -e "$3" ]; then
              sleep "$((OSTRAKA_FENCING_TOKEN % 7 == 0 ? 2 : 0)).$((OSTRAKA_FENCING_TOKEN % 10))"
            fi
            effect "$1"
            [ -e "$3" ] || [ "$((OSTRAKA_FENCING_TOKEN % 20))" -ne 0 ]
            """;

    private ExternalJobs() {}

    /** Returns a job that runs a program, which may outlive its worker. */
    static ScriptJob script(WorkerSettings settings) {
        return ScriptJob.command(
                        "bash",
                        "-c",
                        PROGRAM,
                        "work",
                        settings.name(),
                        Integer.toString(settings.resourcePort()),
                        settings.hurried())
                .build();
    }

    /** Returns a job that sends an HTTP request to the resource, which takes some time to answer. */
    static HttpJob request(WorkerSettings settings) {
        return HttpJob.request("POST", URI.create("http://127.0.0.1:" + settings.requestPort() + "/work"))
                .header(WORKER, settings.name())
                .build();
    }
}
