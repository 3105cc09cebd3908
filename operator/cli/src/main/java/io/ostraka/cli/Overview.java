package io.ostraka.cli;

import io.ostraka.cli.Trouble.Level;
import io.ostraka.cli.Trouble.Remedy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the situations in the whole namespace that need a person. */
final class Overview {
    private static final int MOST_JOBS = 50;
    private static final int MOST_ACTIVE = 1000;
    private static final int A_PAGE_OF_ACTIVITY = 100;

    /** Reasons that jobs report, but that belong to the namespace or to an instance, which shows each of them once. */
    static final Set<String> OF_NAMESPACE = Set.of("FROZEN", "DRAINED", "CLOCK_AHEAD", "DISCONNECTED");

    /** Returns whether a reported reason concerns only the instance that reports it, and not its jobs. */
    static boolean isOfInstance(Answer reported) {
        return reported.object("reason").text("kind").equals("CLOCK_AHEAD");
    }

    private final Session session;
    private final Client client;
    private final Answer namespace;
    private final Times times;
    private final List<Trouble> found = new ArrayList<>();

    private Overview(Session session, Answer namespace) {
        this.session = session;
        this.client = session.client();
        this.namespace = namespace;
        this.times = session.times(namespace);
    }

    /** Returns the situations that need a person, most urgent first. */
    static List<Trouble> of(Session session, Answer namespace) {
        Overview overview = new Overview(session, namespace);
        overview.namespace();
        List<Answer> jobs = session.client()
                .pages(Client.path(session.namespace(), "jobs"), "jobs", List.of())
                .list("jobs");
        overview.instances(jobs);
        overview.jobs(jobs);
        overview.found.sort(Comparator.comparing(Trouble::level));
        return overview.found;
    }

    private void add(Level level, String topic, String what, String detail, Remedy... todo) {
        found.add(new Trouble("", level, topic, what, List.of(detail), List.of(todo)));
    }

    private void namespace() {
        if (namespace.has("frozen")) {
            add(
                    Level.ERROR,
                    "FROZEN",
                    "the namespace is frozen, so no item of any job starts",
                    "by " + Reports.change(times, namespace.object("frozen")),
                    new Remedy("end the freeze", session.command("namespace", "thaw")));
        }
        namespace
                .objects("drained")
                .forEach((name, change) -> add(
                        Level.WARNING,
                        "DRAINED",
                        "instance '" + name + "' is drained and gets no items",
                        "by " + Reports.change(times, change),
                        new Remedy("end the drain", session.command("instance", "undrain", name))));
        if (namespace.has("problem")) {
            add(
                    Level.ERROR,
                    "UNREADABLE",
                    namespace.text("problem"),
                    "",
                    new Remedy("find the cause", session.command("doctor")));
        }
        if (namespace.number("instances") == 0) {
            add(
                    Level.ERROR,
                    "NO_INSTANCE",
                    "no instance is registered, so nothing runs",
                    "",
                    new Remedy("start an instance of the application, or check its connection to ZooKeeper", ""));
        } else if (!namespace.has("leader")) {
            add(
                    Level.WARNING,
                    "NO_LEADER",
                    "no instance leads, so no item moves and no change of a job takes effect",
                    "",
                    new Remedy("look again in a few seconds; if this lasts", session.command("doctor")));
        }
    }

    /**
     * @param jobs the jobs, read before the instances, so that the later list of instances contains each owner that
     *     lives
     */
    private void instances(List<Answer> jobs) {
        Map<String, List<String>> gone = new TreeMap<>();
        jobs.forEach(
                job -> job.map("owners").keySet().forEach(owner -> gone.computeIfAbsent(owner, id -> new ArrayList<>())
                        .add(job.text("job"))));
        for (Answer each :
                client.get(Client.path(session.namespace(), "instances")).list("instances")) {
            String id = Instances.id(each);
            gone.remove(id);
            String host = each.object("instance").text("host");
            if (each.flag("clockAhead")) {
                add(
                        Level.ERROR,
                        "CLOCK_AHEAD",
                        Items.shortInstance(id)
                                + "'s clock is more than 10 s ahead of ZooKeeper's, so this instance gets no items",
                        "instance " + id + ", host " + host,
                        new Remedy(
                                "set the clock of host " + host + " (NTP); then see CLOCK in",
                                session.command("instance", "list")));
            }
            if (each.has("problem")) {
                add(
                        Level.ERROR,
                        "INSTANCE",
                        "instance '" + id + "' reports: " + each.text("problem"),
                        "",
                        new Remedy("find the cause", session.command("doctor")));
            }
            if (each.has("healthGap")) {
                add(Level.WARNING, "HEALTH_GAP", "instance '" + id + "': " + each.text("healthGap"), "");
            }
        }
        if (namespace.number("instances") == 0) {
            return; // already reported, and no item can move
        }
        gone.forEach((id, owned) -> add(
                Level.WARNING,
                "GONE",
                "instance '" + id + "' has shut down or lost its session",
                "it still owns items of " + Diagnosis.named(owned) + "; the leader moves them within seconds",
                new Remedy("look again in a few seconds; if this lasts", session.command("doctor"))));
    }

    private void jobs(List<Answer> all) {
        List<Answer> alarms = client.get(
                        Client.path(session.namespace(), "alarms"), new Client.Parameter("firing", "true"))
                .list("alarms");
        Set<String> suspicious = new LinkedHashSet<>();
        all.stream().filter(Overview::isSuspicious).forEach(job -> suspicious.add(job.text("job")));
        alarms.stream()
                .map(each -> each.text("job"))
                .filter(each -> !each.isEmpty())
                .forEach(suspicious::add);
        suspicious.addAll(overridden());
        suspicious.addAll(runningLong(all.stream().map(job -> job.text("job")).toList()));
        suspicious.retainAll(all.stream().map(job -> job.text("job")).toList());
        suspicious.stream().limit(MOST_JOBS).forEach(job -> job(job, alarms));
        if (suspicious.size() > MOST_JOBS) {
            add(
                    Level.WARNING,
                    "MORE",
                    (suspicious.size() - MOST_JOBS) + " more jobs have problems or overrides",
                    "",
                    new Remedy("see all", session.command("job", "list", "--problems")));
        }
        alarms.stream()
                .filter(each -> each.text("job").isEmpty())
                .forEach(each -> add(
                        Level.ERROR,
                        "ALARM",
                        "alarm " + each.text("kind") + ": " + each.text("text"),
                        "since " + times.both(each.time("since"))));
    }

    private static boolean isSuspicious(Answer job) {
        return job.list("health").stream().anyMatch(each -> !isOfInstance(each))
                || !job.text("state").equals("ACTIVE")
                || JobFacts.unassigned(job) > 0;
    }

    private void job(String job, List<Answer> alarms) {
        try {
            Diagnosis.of(session, JobFacts.read(session, job, alarms)).stream()
                    .filter(each -> !OF_NAMESPACE.contains(each.topic()))
                    .forEach(found::add);
        } catch (Failure e) {
            if (e.exitCode() == ExitCode.UNREACHABLE) {
                throw e;
            }
            found.add(new Trouble(
                    job,
                    Level.WARNING,
                    "UNKNOWN",
                    "could not be read: " + e.text(),
                    List.of(),
                    List.of(new Remedy("try again", session.command("job", "get", job)))));
        }
    }

    /** Returns the jobs with overridden fields or silenced alarms, from the export of all settings. */
    private Set<String> overridden() {
        Set<String> jobs = new LinkedHashSet<>();
        Answer settings = settings();
        if (settings != null) {
            Set<String> fields = Set.copyOf(FieldText.names());
            for (Map.Entry<String, Answer> each : settings.objects("overrides").entrySet()) {
                if (each.getValue().json().keySet().stream()
                        .anyMatch(name -> fields.contains(name) || name.equals(Silences.SETTING))) {
                    jobs.add(each.getKey());
                }
            }
        }
        return jobs;
    }

    private @Nullable Answer settings() {
        try {
            return client.get(Client.path(session.namespace(), "settings"));
        } catch (Failure e) {
            if (e.exitCode() == ExitCode.UNREACHABLE) {
                throw e;
            }
            add(
                    Level.NOTE,
                    "OVERRIDES",
                    "overrides are not checked, because the settings of all jobs could not be read: " + e.text(),
                    "");
            return null;
        }
    }

    /** Reads the activity of jobs, in parts, because the path of a request is limited. */
    static List<Answer> activity(Session session, List<String> jobs) {
        List<Answer> activity = new ArrayList<>();
        for (int from = 0; from < jobs.size(); from += A_PAGE_OF_ACTIVITY) {
            Client.Parameter[] query = jobs.subList(from, Math.min(jobs.size(), from + A_PAGE_OF_ACTIVITY)).stream()
                    .map(job -> new Client.Parameter("job", job))
                    .toArray(Client.Parameter[]::new);
            activity.addAll(session.client()
                    .get(Client.path(session.namespace(), "activity"), query)
                    .list("activity"));
        }
        return activity;
    }

    /**
     * Returns the jobs whose activity may need a person: a run that began a while ago, or items that are quarantined,
     * interrupted or failing. The items of the job then show whether a run is unusually long.
     */
    private Set<String> runningLong(List<String> jobs) {
        Set<String> running = new LinkedHashSet<>();
        List<String> checked = jobs.subList(0, Math.min(jobs.size(), MOST_ACTIVE));
        Instant limit = times.now().minus(JobFacts.SHORTEST);
        activity(session, checked).stream()
                .filter(each -> each.time("runningSince").filter(limit::isAfter).isPresent()
                        || each.number("quarantined") > 0
                        || each.number("interrupted") > 0
                        || each.number("failuresInARow") > 0)
                .forEach(each -> running.add(each.text("job")));
        if (checked.size() < jobs.size()) {
            add(
                    Level.NOTE,
                    "ACTIVITY",
                    "long runs are not checked for " + (jobs.size() - checked.size()) + " of " + jobs.size() + " jobs",
                    "");
        }
        return running;
    }
}
