package io.ostraka.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a measured process schedules: jobs that differ in their names alone.
 *
 * @param servers of ZooKeeper
 * @param namespace of this run alone
 * @param jobs how many, named by {@link Contender#name}
 * @param items of each
 * @param when of all of them, as {@link Contender.Job#when}
 * @param instances in the process: more than one for this library alone
 */
record UniformLoad(String servers, String namespace, int jobs, int items, String when, int instances) {
    /** Of one instance a process, as applications have it. */
    UniformLoad(String servers, String namespace, int jobs, int items, String when) {
        this(servers, namespace, jobs, items, when, 1);
    }

    /** Reads what {@link #arguments} has written. */
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
