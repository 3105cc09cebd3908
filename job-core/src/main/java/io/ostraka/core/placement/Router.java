package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Routers of jobs with one item, by the names of other schedulers; {@link ConsistentHashStrategy} is another one.
 * Routers that keep a present owner cost nothing. Instances are ordered by id, which begins with the host name.
 *
 * <p>A router that chooses for each fire costs one write of the plan for each fire, which every instance that hosts
 * the job receives, and one read of the record by the leader. It delays no fire: the present owner runs the fire, and
 * the next owner is chosen after the run. If fires follow one another within a second or two, some have the same owner
 * as the fire before.
 */
enum Router implements JobRouter, BuiltInStrategy {
    /**
     * The first instance. Use it where one host should run the job while it is present, and again when it returns.
     * All jobs with this router are on the same instance.
     */
    FIRST(request -> new Route(request.instances().get(0))),

    /**
     * The last instance; otherwise like {@link #FIRST}. The two routers keep two jobs apart while at least two
     * instances are present.
     */
    LAST(request -> new Route(request.instances().get(request.instances().size() - 1))),

    /**
     * A different instance for each fire, by a hash of job, fire and instance. Use it where the next instance
     * should be unpredictable. A departing instance moves the item only if it owned it, a joining instance only to
     * itself. Costs one write of the plan for each fire.
     */
    RANDOM(Need.FIRE, request -> {
        long fire = request.fire() == null ? 0 : Hashing.mix(request.fire().toEpochMilli());
        long seed = fire ^ Hashing.of(request.jobName());
        return new Route(request.instances().stream()
                .min(Comparator.comparing(instance -> Hashing.mix(seed ^ Hashing.of(instance.id()))))
                .orElseThrow());
    }),

    /**
     * Each instance in turn, one fire each. Use it where each run consumes a resource of its host, for example a
     * rate limit, or warms a cache. A joining instance waits for its turn. Costs one write of the plan for each
     * fire.
     */
    ROUND(Need.FIRE, OncePerFire::next),

    /**
     * The instance with the fewest fires of this job. Unlike {@link #ROUND}, instances that missed turns because
     * they could not take the item catch up; a joining instance begins with the lowest count of the others. Costs
     * one write of the plan for each fire.
     */
    LEAST_FREQUENTLY_USED(Need.FIRE, LeastUsed::frequently),

    /**
     * The instance whose latest fire of this job is oldest. Unlike with {@link #ROUND}, a joining instance is
     * next. Costs one write of the plan for each fire.
     */
    LEAST_RECENTLY_USED(Need.FIRE, LeastUsed::recently),

    /**
     * The owner while it is present, otherwise the first instance. Use it for a job with one owner and standbys in
     * a known order. (The router of this name in xxl-job moves back when an earlier instance returns; {@link
     * #FIRST} does that.)
     */
    FAILOVER(request ->
            new Route(JobRouter.owner(request).orElse(request.instances().get(0)))),

    /**
     * The owner unless a run of an earlier session still runs on it; otherwise the first instance without such a
     * run, or the owner if there is none. Use it for runs that cannot be stopped, so that later runs need not wait
     * for them. Costs one write each time an owner is stuck.
     */
    BUSY_OVER(request -> {
        List<JobInstance> idle = request.instances().stream()
                .filter(instance -> !request.busy().contains(instance.id()))
                .toList();
        JobInstance owner = JobRouter.owner(request).orElse(request.instances().get(0));
        return new Route(idle.isEmpty() || idle.contains(owner) ? owner : idle.get(0));
    }),

    /**
     * The owner, unless it has at least two items of all jobs more than another instance; then the instance with
     * the fewest. Use it to spread many jobs of one item as one job would spread its items, also after a rolling
     * restart, which leaves them on the instances that restarted first.
     *
     * <p>Let an owner have c items in all, and another instance m. The item moves if c − m ≥ 2. Then the larger of
     * the two counts falls, and the sum of their squares falls by 2 (c − m − 1) ≥ 2, so jobs that decide one after
     * the other, each with the results of the earlier ones, stop moving. If there are no other items, the final
     * counts differ by at most one. The job name decides ties.
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
