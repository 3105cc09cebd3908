package io.ostraka.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The jobs that a measured process schedules. They differ only in their names.
 *
 * @param servers ZooKeeper's connect string
 * @param namespace namespace that only this run uses
 * @param jobs number of jobs; {@link Contender#name} returns their names
 * @param items item count of each job
 * @param when schedule of each job, as {@link Contender.Job#when}
 * @param instances number of instances in the process; more than one for this library only
 */
record UniformLoad(String servers, String namespace, int jobs, int items, String when, int instances) {
    /** Creates a load for a process with one instance, which is the usual number in applications. */
    UniformLoad(String servers, String namespace, int jobs, int items, String when) {
        this(servers, namespace, jobs, items, when, 1);
    }

    /** Parses the result of {@link #arguments}. */
    static UniformLoad parse(List<String> arguments) {
        return new UniformLoad(
                arguments.get(0),
                arguments.get(1),
                Integer.parseInt(arguments.get(2)),
                Integer.parseInt(arguments.get(3)),
                arguments.get(4),
                Integer.parseInt(arguments.get(5)));
    }

    List<String> arguments() {
        return List.of(
                servers, namespace, Integer.toString(jobs), Integer.toString(items), when, Integer.toString(instances));
    }

    Contender.Load load() {
        List<Contender.Job> all = IntStream.range(0, jobs)
                .mapToObj(job -> new Contender.Job(Contender.name(job), items, when))
                .toList();
        return new Contender.Load(servers, namespace, null, all, instances);
    }
}
