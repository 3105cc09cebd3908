package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRouter;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The routers of jobs with one item, by the names of other schedulers; {@link ConsistentHashStrategy} is one more. Those
 * that keep the item's owner as long as it is there cost nothing. Instances are in the order of their ids, which begin with
 * the host's name.
 *
 * <p>Those that choose anew for each fire cost a plan's write a fire, of which all instances that host the job are told, and
 * the leader's reading of the item's record. None of them delays a fire: whoever has the item runs it, and once it has ended
 * the next one's place is chosen. Where fires follow one another within a second or two, or run that long after one another
 * without a pause, some have the place of the one before.
 */
enum Router implements JobRouter, BuiltInStrategy {
    /**
     * The first instance. Worth choosing where one host is to do it as long as it is there, and to have it back when it
     * returns. All jobs that choose it are on the same instance.
     */
    FIRST(request -> new Route(request.instances().get(0))),

    /** The last instance; otherwise as {@link #FIRST}. Two jobs can be kept apart by the two, while there are two instances. */
    LAST(request -> new Route(request.instances().get(request.instances().size() - 1))),

    /**
     * Any instance, another for each fire, by a hash of job, fire and instance. Worth choosing where no instance is to know
     * what it gets next. One that departs moves the item only if it had it, one that joins only to itself. Costs a plan's
     * write a fire.
     */
    RANDOM(Need.FIRE, request -> {
        long fire = request.fire() == null ? 0 : Hashing.mix(request.fire().toEpochMilli());
        long seed = fire ^ Hashing.of(request.jobName());
        return new Route(request.instances().stream()
                .min(Comparator.comparing(instance -> Hashing.mix(seed ^ Hashing.of(instance.id()))))
                .orElseThrow());
    }),

    /**
     * Each instance in turn, a fire each. Worth choosing where each run uses up something of the instance: a cache that it
     * warms, a limit of calls by host. Who joins waits for its turn. Costs a plan's write a fire.
     */
    ROUND(Need.FIRE, OncePerFire::next),

    /**
     * The instance that has had the fewest fires of this job. Differs from {@link #ROUND} where instances miss turns, since
     * they couldn't take the item, and make up for them; who joins begins with as few as the others' fewest. Costs a plan's
     * write a fire.
     */
    LEAST_FREQUENTLY_USED(Need.FIRE, LeastUsed::frequently),

    /**
     * The instance whose latest fire of this job is the longest ago. Differs from {@link #ROUND} in that who joins comes next.
     * Costs a plan's write a fire.
     */
    LEAST_RECENTLY_USED(Need.FIRE, LeastUsed::recently),

    /**
     * The first instance that lives when there is none yet or the owner is gone; it keeps the item then. Worth choosing for
     * a job with one place and others standing by in a known order. (That of xxl-job goes back when an earlier one returns;
     * {@link #FIRST} does that.)
     */
    FAILOVER(request ->
            new Route(JobRouter.owner(request).orElse(request.instances().get(0)))),

    /**
     * The owner while nothing of the job still runs on it for an earlier session, otherwise the first instance of which that
     * is true; the owner if there is none. Worth choosing for runs that can't be made to end: the next ones needn't wait
     * behind them. Costs a write each time an owner gets stuck.
     */
    BUSY_OVER(request -> {
        List<JobInstance> idle = request.instances().stream()
                .filter(instance -> !request.busy().contains(instance.id()))
                .toList();
        JobInstance owner = JobRouter.owner(request).orElse(request.instances().get(0));
        return new Route(idle.isEmpty() || idle.contains(owner) ? owner : idle.get(0));
    }),

    /**
     * The owner, unless it has more items of all jobs than another instance by two; then the instance with fewest. Worth
     * choosing for many jobs of one item that are to be spread over the instances as one job's items would be: also after a
     * rolling restart, which leaves them with those that restarted first.
     *
     * <p>Let an owner have c items in all, and another instance m. The item moves if c − m ≥ 2. Then the larger of the two
     * counts falls; their squares' sum falls by 2 (c − m − 1) ≥ 2, so jobs that decide one after the other, each knowing what
     * those before it have decided, come to rest. Where they rest and have no other items, counts differ by one at most. Of
     * equals the job's name decides.
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
