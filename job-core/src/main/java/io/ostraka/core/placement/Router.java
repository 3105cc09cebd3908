package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Strategies for jobs with one item, named as in other schedulers. {@link ConsistentHashStrategy} also suits such jobs.
 * Instances are ordered by id, which starts with the instance's name.
 *
 * <p>A router that keeps its choice as long as the chosen instance is available causes no writes. A router that chooses
 * a new owner for each fire has a cost per fire: the leader reads the item's record and writes the plan, and every
 * instance that hosts the job reads the plan. Fires are not delayed, because the current owner runs the fire and the
 * next owner is chosen after that. If fires follow each other within a second or two, some have the same owner as the
 * previous fire.
 */
enum Router implements JobRouter, BuiltInStrategy {
    /**
     * The first instance by id. Use this router if a certain host should run the job whenever that host is available.
     * All jobs with this router run on the same instance.
     */
    FIRST(request -> new Route(request.instances().get(0))),

    /**
     * The last instance by id; otherwise like {@link #FIRST}. With at least two instances, a job with {@code FIRST} and
     * a job with {@code LAST} run on different instances.
     */
    LAST(request -> new Route(request.instances().get(request.instances().size() - 1))),

    /**
     * A pseudo-random instance for each fire, chosen by a hash of job, fire and instance. Use this router if the next
     * instance should not be predictable. If an instance leaves, the item moves only if that instance owned the item.
     * If an instance joins, the item can move only to that instance. Costs one write of the plan for each fire.
     */
    RANDOM(Need.FIRE, request -> {
        long fire = request.fire() == null ? 0 : Hashing.mix(request.fire().toEpochMilli());
        long seed = fire ^ Hashing.of(request.jobName());
        return new Route(request.instances().stream()
                .min(Comparator.comparing(instance -> Hashing.mix(seed ^ Hashing.of(instance.id()))))
                .orElseThrow());
    }),

    /**
     * Each instance in turn, one fire each. Use this router if each run uses up a resource of its host, for example a
     * rate limit, or warms a cache. An instance that joins waits for its turn. Costs one write of the plan for each
     * fire.
     */
    ROUND(Need.FIRE, OncePerFire::next),

    /**
     * The instance that has had the fewest fires of this job. In contrast to {@link #ROUND}, an instance that was not
     * available for some fires catches up. An instance that joins starts with the lowest count of the other instances.
     * Costs one write of the plan for each fire.
     */
    LEAST_FREQUENTLY_USED(Need.FIRE, LeastUsed::frequently),

    /**
     * The instance that has not had a fire of this job for the longest time. In contrast to {@link #ROUND}, an instance
     * that joins is chosen next. Costs one write of the plan for each fire.
     */
    LEAST_RECENTLY_USED(Need.FIRE, LeastUsed::recently),

    /**
     * The current owner if it is available, otherwise the first instance by id. Use this router for a job with one
     * active instance and standby instances in a known order. (In xxl-job, the router of this name moves the job back
     * when an instance with a lower id becomes available again. Use {@link #FIRST} for that.)
     */
    FAILOVER(request ->
            new Route(JobRouter.owner(request).orElse(request.instances().get(0)))),

    /**
     * The current owner, unless it is busy. An owner is busy if a scheduled fire became due before the owner's run of
     * the item had ended, or if its process is still executing a run from an earlier session. The router then chooses
     * the first instance that is not busy, or the owner if every instance is busy. The item never has two runs at once,
     * so the chosen instance runs what the overlap policy keeps, after the end of the busy owner's run. Use this router
     * if a long run should not load the same instance again. Costs one write of the plan each time a fire finds the
     * owner busy, and two reads of the item's record for each fire.
     */
    BUSY_OVER(Need.FIRE, request -> {
        List<JobInstance> idle = request.instances().stream()
                .filter(instance -> !request.busy().contains(instance.id()))
                .toList();
        JobInstance owner = JobRouter.owner(request).orElse(request.instances().get(0));
        return new Route(idle.isEmpty() || idle.contains(owner) ? owner : idle.get(0));
    }),

    /**
     * The current owner, unless it has at least two items more than another instance. If it has, the router chooses the
     * instance with the fewest items. Items of all jobs count. Use this router to spread many jobs with one item
     * evenly. It also helps after a rolling restart, which moves most of these jobs to the instances that restarted
     * first.
     *
     * <p>The moves end if jobs are placed one after the other, each with the item counts that result from the earlier
     * placements. Let an owner have c items and another instance m items. The item moves if c − m ≥ 2, so each move
     * lowers the sum of the squared counts by 2 (c − m − 1) ≥ 2. If all jobs use this router, the final counts differ
     * by at most one. The job's name decides ties.
     */
    SPREAD(Need.OTHER_ITEMS, request -> {
        List<JobInstance> turned = new CurrentAssignment(request)
                .turned().stream().map(request.instances()::get).toList();
        JobInstance emptiest = turned.stream()
                .min(Comparator.comparingLong(instance -> others(request, instance)))
                .orElseThrow();
        JobInstance owner = JobRouter.owner(request).orElse(emptiest);
        return new Route(others(request, owner) + 1 - others(request, emptiest) >= 2 ? emptiest : owner);
    });

    private final Set<Need> needs;
    private final Function<Request, Route> choice;

    Router(Function<Request, Route> choice) {
        this.needs = Set.of();
        this.choice = choice;
    }

    Router(Need need, Function<Request, Route> choice) {
        this.needs = Set.of(need);
        this.choice = choice;
    }

    @Override
    public String type() {
        return name();
    }

    @Override
    public Set<Need> needs() {
        return needs;
    }

    @Override
    public Route route(Request request) {
        return choice.apply(request);
    }

    private static long others(Request request, JobInstance instance) {
        return request.otherItems().getOrDefault(instance.id(), 0);
    }
}
