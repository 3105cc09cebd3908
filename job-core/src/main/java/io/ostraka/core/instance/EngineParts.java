package io.ostraka.core.instance;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobHealth;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.event.Events;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.JobContext;
import io.ostraka.core.job.Session;
import io.ostraka.core.leader.AlarmDelivery;
import io.ostraka.core.leader.LeaderContext;
import io.ostraka.core.leader.LeaderEvents;
import io.ostraka.core.leader.Reconciler;
import io.ostraka.core.metrics.InstanceMeters;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.core.run.RunSlots;
import io.ostraka.core.time.ClockCheck;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutorStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The parts of an engine. Creates them, connects them, and passes the reports of one part to the others. */
final class EngineParts {
    final EngineSettings settings;
    final Coordination coordination;
    final Platform platform;
    final Extensions extensions;
    final WorkerStatistics workers;
    final InstanceExecutor executor;
    final InstanceMeters meters;
    final InstanceHealth health;
    final Events events;
    final ErrorHandlers errors;
    final HostedJobs jobs = new HostedJobs();
    final Lifecycle lifecycle;
    final Reconciler reconciler;
    final InstanceRegistration registration;
    final OrdersState orders;
    final HealthPublisher publisher;
    final DefinitionRegistrar definitions;
    final WaitingTriggers waiting;
    final ManualTriggers triggers;
    final FireStops stops;
    final RequestGate operators;
    final GracefulShutdown shutdown;
    final JobContext context;
    final Watchdog watchdog;
    /** Completes when this instance's node has been written for the first time. */
    final CompletableFuture<Void> registered = new CompletableFuture<>();

    private final SerialExecutorStatistics executors = new SerialExecutorStatistics();

    EngineParts(
            EngineSettings settings,
            Coordination coordination,
            Platform machine,
            Extensions extensions,
            FireTimes.Source schedule) {
        this.settings = settings;
        this.coordination = coordination;
        this.extensions = extensions;
        this.workers = new WorkerStatistics(machine.workers());
        this.platform = machine.withWorkers(workers);
        Extensions.Listeners listeners = extensions.listeners();
        this.meters = new InstanceMeters(platform.clock()::monotonicNanos);
        this.health = new InstanceHealth(platform, coordination.membership()::serverTime, listeners.health());
        this.events = new Events(
                Stream.concat(Stream.of(meters, health), listeners.meters().stream())
                        .toList(),
                listeners.subscribers(),
                platform.workers());
        this.errors = new ErrorHandlers(
                extensions.errorHandlers(),
                platform,
                (type, problem) -> health.extension("error handler '" + type + "'", problem));
        this.executor = new InstanceExecutor(platform.serialExecutor(executors), platform.timer());
        this.lifecycle = new Lifecycle(platform, executor, listeners.instances(), health, this::prepared);
        Callbacks callbacks = new Callbacks();
        this.reconciler = new Reconciler(
                new LeaderContext(
                        coordination,
                        platform,
                        platform.serialExecutor(executors),
                        extensions.strategies(),
                        schedule,
                        new AlarmDelivery(settings.namespace(), listeners.alarms(), platform),
                        settings.intervals().drainDeadline()),
                callbacks,
                new LeaderEvents(events, this::selfId, platform.clock()),
                settings.intervals().audit());
        ClockCheck clock = new ClockCheck(coordination.membership()::serverTime, platform.clock());
        this.registration = new InstanceRegistration(
                settings.identity(), coordination.membership(), executor, clock, health, callbacks);
        this.orders = new OrdersState(coordination.membership(), executor, health, registration, callbacks);
        this.publisher = new HealthPublisher(coordination.membership(), executor, registration, health);
        health.afterChanges(() -> executor.execute(publisher::publish));
        health.afterAlarms(() -> executor.execute(publisher::publishAlarms));
        this.definitions = new DefinitionRegistrar(coordination.jobs(), executor, registration, jobs, this::defined);
        this.waiting = new WaitingTriggers(
                coordination.fires(),
                executor,
                registration::established,
                (job, all) -> jobs.ifHosted(job, hosted -> hosted.triggersChanged(all)));
        this.triggers = new ManualTriggers(coordination.fires(), executor, platform, waiting, callbacks);
        this.stops = new FireStops(coordination.fires(), executor, registration, jobs, reconciler::stopsRead);
        this.operators = new RequestGate(executor, registration::established);
        this.shutdown = new GracefulShutdown(coordination, platform, executor, registration, lifecycle, this::settled);
        EngineSettings.Slots slots = settings.slots();
        InstanceRunSession runs = new InstanceRunSession(
                coordination,
                platform.waiting(),
                registration::session,
                settings.identity().zone());
        this.context = new JobContext(
                coordination,
                platform,
                new RunSlots(platform, slots.quick(), slots.slow(), slots.tasks()),
                runs,
                schedule,
                callbacks,
                clock,
                events,
                executors,
                new AtomicLong());
        this.watchdog = new Watchdog(settings.intervals(), executor, registration, runs, jobs, callbacks);
    }

    /** Returns this instance's id in its current session; an empty text before the first session. */
    String selfId() {
        Session session = registration.session();
        return session == null ? "" : session.instanceId();
    }

    Status status() {
        return reconciler.status(jobs.status(meters));
    }

    Load load() {
        return new Load(
                context.slots().load(),
                workers.load(),
                new Load.SerialExecutors(
                        executors.active(), executors.queued(), executors.longest(), executors.completed()),
                WorkerStatistics.pool(platform.engineThreads()).orElse(Load.Pool.NONE),
                events.load());
    }

    /** Called after the preparation for the first work. The instance's node can now list the jobs. */
    private void prepared() {
        registration.announce();
    }

    private void defined(String job) {
        triggers.defined(job);
    }

    /** Ends the leadership and the delivery of events. Called after the connection was closed. */
    private CompletionStage<Void> settled() {
        return reconciler.close().thenCompose(closed -> {
            events.status(() -> Status.NONE);
            return events.delivered();
        });
    }

    /** Passes reports of the jobs, of the leader and of other parts to the parts that they concern. */
    private final class Callbacks
            implements JobContext.Instance,
                    LeaderContext.LeadingInstance,
                    InstanceRegistration.Engine,
                    OrdersState.Engine,
                    ManualTriggers.Engine,
                    Watchdog.Engine {
        @Override
        public Collection<HostedJob> jobs() {
            return jobs.all();
        }

        @Override
        public boolean prepared() {
            return lifecycle.prepared();
        }

        @Override
        public boolean ordersKnown() {
            return orders.current();
        }

        @Override
        public boolean startsItems() {
            return orders.startsItems();
        }

        @Override
        public boolean drained() {
            return orders.drained();
        }

        @Override
        public void startsChanged() {
            jobs.all().forEach(HostedJob::decideAgain);
        }

        @Override
        public void drainChanged(boolean drained) {
            lifecycle.drained(drained);
            registration.drained(drained);
        }

        @Override
        public void ordersRead(OrdersView read, @Nullable Optional<Versioned<Orders>> known) {
            if (!registration.established()) {
                registration.announce(); // the node could not be written before the orders were read
            }
            reconciler.orders(read, known);
        }

        @Override
        public void registered(Session session) {
            health.connected(session.instanceId());
            registered.complete(null);
            lifecycle.connected();
            reconciler.connected();
            definitions.connected();
            jobs.all().forEach(job -> job.connected(session));
            triggers.connected();
            stops.read();
            operators.connected();
        }

        @Override
        public boolean established() {
            return registration.established();
        }

        @Override
        public boolean hosts(String job) {
            return jobs.get(job) != null;
        }

        @Override
        public boolean lacksDefinition(String job) {
            return definitions.lacks(job);
        }

        @Override
        public void alive() {
            health.alive();
            orders.check();
            events.status(EngineParts.this::status);
        }

        @Override
        public void resync(Duration elapsed, boolean full) {
            if (full) {
                triggers.look();
                stops.read();
                registration.checkNode();
                orders.changed();
                publisher.publish();
            }
            reconciler.reconcileAll(elapsed, full);
        }

        @Override
        public void announceAgain() {
            executor.execute(registration::announce);
        }

        @Override
        public void nodeMissing() {
            executor.execute(registration::missing);
        }

        @Override
        public void restore(Definition definition) {
            executor.execute(() -> definitions.restore(definition));
        }

        @Override
        public void reclaim(Definition definition) {
            executor.execute(() -> definitions.reclaim(definition));
        }

        @Override
        public void readPlan(String job) {
            jobs.ifHosted(job, HostedJob::planChanged);
        }

        @Override
        public void fireChanged(String fire) {
            executor.execute(() -> triggers.fireChanged(fire));
        }

        @Override
        public void fireEnded(String fire, Map<String, ItemOutcome> outcomes) {
            executor.execute(() -> triggers.fireEnded(fire, outcomes));
        }

        @Override
        public void reasonsChanged(String job, Map<JobHealth.Kind, String> reasons) {
            health.job(job, reasons);
        }

        @Override
        public Instant ordersChangedAt() {
            return orders.ordersChangedAt();
        }

        @Override
        public void alarmsChanged(String job, Set<AlarmKind> kinds) {
            health.alarms(job, kinds);
        }

        @Override
        public void readTriggers() {
            executor.execute(waiting::read);
        }

        @Override
        public void rejoinElection() {
            executor.execute(registration::campaignAgain);
        }

        @Override
        public void planned(String job, Map<JobHealth.Kind, String> problems) {
            health.planning(job, problems);
        }
    }
}
