package io.ostraka.spring;

import io.ostraka.api.HttpJob;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.ScriptJob;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.lite.ProcessExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Explains which property or dependency is missing if a job needs more than Java code: a script, a request or a
 * webhook. The messages of the library name methods of the registry's builder, which a Spring application does not call.
 *
 * @param properties the application's properties
 */
record JobPowers(OstrakaProperties properties) {
    private static final String MODULE = "the class path does not have the artifact io.ostraka:ostraka-job-types";
    private static final String ADD_MODULE = "add this dependency, which the starters contain";

    /**
     * Checks that the application has the module that its properties need.
     *
     * @throws StartRefusedException if it does not have the module
     */
    void requireModule(PropertyPlaces places) {
        List<String> needing = needingModule(places);
        if (!needing.isEmpty() && ProcessExtension.found().isEmpty()) {
            throw withoutModule(needing);
        }
    }

    static StartRefusedException withoutModule(List<String> properties) {
        return new StartRefusedException(
                MODULE + ", which these properties need: " + String.join(", ", properties),
                ADD_MODULE + ", or remove these properties");
    }

    /** Returns the properties that need the module, each with its file and line. */
    List<String> needingModule(PropertyPlaces places) {
        OstrakaProperties.Allow allow = properties.allow();
        OstrakaProperties.Alarms alarms = properties.alarms();
        List<String> needing = new ArrayList<>();
        add(needing, allow.scriptJobs(), places, "ostraka.allow", "scriptJobs");
        add(needing, !allow.httpHosts().isEmpty(), places, "ostraka.allow", "httpHosts");
        add(needing, !allow.privateHosts().isEmpty(), places, "ostraka.allow", "privateHosts");
        add(needing, properties.webhook() != null, places, "ostraka", "webhook");
        add(needing, alarms.webhook() != null, places, "ostraka.alarms", "webhook");
        add(needing, alarms.heartbeat().target() != null, places, "ostraka.alarms.heartbeat", "target");
        add(needing, !alarms.heartbeat().jobs().isEmpty(), places, "ostraka.alarms.heartbeat", "jobs");
        return needing;
    }

    private static void add(List<String> needing, boolean set, PropertyPlaces places, String group, String name) {
        if (set) {
            needing.add(places.of(group, name));
        }
    }

    /**
     * Explains why the registry has refused a job.
     *
     * @return empty if the job needs no property or dependency that is missing
     */
    Optional<RuntimeException> refusal(
            JobScanner.Found found, Job job, JobConfiguration configuration, JobConfigurationException refused) {
        String who = "job '" + found.name() + "', which is " + found.declaration() + ", ";
        if (refused.field().equals("errorHandler")
                && configuration.errorHandler().equals(ErrorHandlers.WEBHOOK)) {
            return Optional.of(new StartRefusedException(
                    who + "has the error handler WEBHOOK, but this application has no webhook",
                    "set ostraka.webhook.target and ostraka.webhook.secret, or choose another error handler",
                    refused));
        }
        boolean request = job instanceof HttpJob;
        if (!refused.field().equals("job") || !(request || job instanceof ScriptJob)) {
            return Optional.empty();
        }
        if (ProcessExtension.found().isEmpty()) {
            return Optional.of(new StartRefusedException(
                    who + "cannot run, because " + MODULE, ADD_MODULE + ", or remove the job", refused));
        }
        return Optional.of(request ? notAllowed(who, (HttpJob) job, refused) : notAllowed(who, refused));
    }

    private static StartRefusedException notAllowed(String who, JobConfigurationException refused) {
        return new StartRefusedException(
                who + "is a script, but ostraka.allow.script-jobs is not true",
                "set ostraka.allow.script-jobs to true, or remove the job",
                refused);
    }

    private StartRefusedException notAllowed(String who, HttpJob job, JobConfigurationException refused) {
        List<String> hosts = properties.allow().httpHosts();
        return new StartRefusedException(
                who + "sends requests to " + job.uri().getAuthority()
                        + ", which ostraka.allow.http-hosts does not allow",
                "add this host to ostraka.allow.http-hosts, which contains "
                        + (hosts.isEmpty() ? "no host" : String.join(", ", hosts)),
                refused);
    }
}
