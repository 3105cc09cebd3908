package io.ostraka.spring;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.Schedule;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;

/**
 * Starts and stops the instance with its application context. The instance connects when the context has been
 * refreshed, and hosts the jobs when the application is ready. When the context closes, the instance drains, and its
 * runs end before the web server stops and before beans such as data sources are destroyed. Start and stop can be
 * repeated.
 *
 * <p>Thread-safe.
 */
public final class OstrakaLifecycle
        implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent>, DisposableBean {
    private static final Logger log = LoggerFactory.getLogger(OstrakaLifecycle.class);

    /** Time that the stop may take in addition to the longest shutdown grace of the jobs. */
    private static final Duration BEYOND_GRACE = Duration.ofSeconds(5);

    private final OstrakaProperties properties;
    private final ApplicationJobs applicationJobs;
    private final RegistryFactory factory;
    private final Supplier<Platform.Loader> platforms;
    private final ConfigurableApplicationContext context;
    private boolean ready;
    /**
     * Changed only under the lock. Health reads it without the lock, which a start may hold while it waits for
     * ZooKeeper.
     */
    private volatile List<ApplicationJobs.Configured> jobs = List.of();

    private volatile Platform platform = Platform.NONE;

    private volatile RegistryFactory.@Nullable Opened opened;

    OstrakaLifecycle(
            OstrakaProperties properties,
            ApplicationJobs applicationJobs,
            RegistryFactory factory,
            Supplier<Platform.Loader> platforms,
            ConfigurableApplicationContext context) {
        this.properties = properties;
        this.applicationJobs = applicationJobs;
        this.factory = factory;
        this.platforms = platforms;
        this.context = context;
        this.ready = properties.lifecycle().start() == OstrakaProperties.Start.REFRESH;
    }

    /** Returns the registry; empty while the context is stopped, and if {@code ostraka.enabled} is false. */
    public Optional<ZooKeeperRegistry> registry() {
        return Optional.ofNullable(opened).map(RegistryFactory.Opened::registry);
    }

    /**
     * Returns the present configuration of each job of this application, with the source of each field, by the name of
     * the job. A new revision of the platform's configuration changes the result.
     */
    public Map<String, EffectiveConfiguration> configurations() {
        return jobs.stream()
                .collect(Collectors.toUnmodifiableMap(job -> job.found().name(), this::effective));
    }

    private EffectiveConfiguration effective(ApplicationJobs.Configured job) {
        return platform.effective(job.own());
    }

    /** Returns details about the platform, for health; empty if there is no platform. */
    Map<String, Object> platformDetails() {
        return platform.details();
    }

    /** Returns whether this application hosts jobs; see {@link OstrakaProperties#enabled()}. */
    public boolean isEnabled() {
        return properties.enabled();
    }

    @Override
    public synchronized void start() {
        if (opened != null) {
            return;
        }
        if (!properties.enabled()) {
            log.info("ostraka.enabled is false: this application hosts no jobs");
            return;
        }
        List<ApplicationJobs.Configured> found = applicationJobs.find();
        platform = platforms
                .get()
                .load(found.stream().map(job -> job.own().configuration()).toList());
        jobs = found;
        limitStop();
        opened = factory.open(found.stream().map(job -> job.found().name()).toList(), platform);
        Set<String> strategies = opened.registry().shardingStrategies();
        found.forEach(job -> JobSettings.requireStrategy(job.own(), strategies));
        if (ready) {
            host(opened.registry());
        }
    }

    /** Sets the time limit of the stop, so that the job with the longest shutdown grace has enough time. */
    private void limitStop() {
        Duration longest = jobs.stream()
                .map(job -> effective(job).configuration().shutdownGrace())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        if (context.getBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME)
                instanceof DefaultLifecycleProcessor processor) {
            processor.setTimeoutForShutdownPhase(
                    getPhase(), longest.plus(BEYOND_GRACE).toMillis());
        }
    }

    private void host(ZooKeeperRegistry registry) {
        for (ApplicationJobs.Configured each : jobs) {
            JobScanner.Found found = each.found();
            EffectiveConfiguration effective = effective(each);
            JobConfiguration configuration = effective.configuration();
            Job job = found.code().get();
            JobOptions options = each.options().get();
            try {
                if (configuration.schedule() instanceof Schedule.OnDemand) {
                    registry.oneOff(job, configuration, options);
                } else {
                    registry.schedule(job, configuration, options);
                }
            } catch (JobConfigurationException e) { // such as a script, or an error handler that this instance lacks
                throw new JobPowers(properties)
                        .refusal(found, job, configuration, e)
                        .orElseGet(() -> JobSettings.placed(e, effective.sources()));
            }
            log.info("job '{}' is {}; configured by {}", found.name(), found.declaration(), effective.origin());
        }
        platform.follow(registry);
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        if (event.getApplicationContext() == context) {
            synchronized (this) {
                if (!ready) {
                    ready = true;
                    if (opened != null) {
                        host(opened.registry());
                    }
                }
            }
        }
    }

    @Override
    public void stop(Runnable callback) {
        RegistryFactory.Opened closing = opened;
        if (closing != null && closing.registry().callsThisThread()) {
            try {
                stop(); // on this thread, so that the registry does not wait for the run that closes the context
            } finally {
                callback.run();
            }
            return;
        }
        Thread stopping = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "ostraka-stop");
        stopping.start();
    }

    @Override
    public void stop() {
        RegistryFactory.Opened closing;
        synchronized (this) {
            closing = opened;
            opened = null;
        }
        platform.close();
        if (closing != null) {
            closing.close();
        }
    }

    /** Closes the registry of a context whose start has failed. */
    @Override
    public void destroy() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return opened != null;
    }

    @Override
    public int getPhase() {
        return properties.lifecycle().phase();
    }
}
