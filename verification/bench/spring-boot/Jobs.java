package io.ostraka.bench.spring;

import io.ostraka.api.InstanceState;
import io.ostraka.api.JobHealth;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.spring.OstrakaLifecycle;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Adds beans that are jobs, with properties. They do not fire during the measurement. */
final class Jobs implements ApplicationContextInitializer<GenericApplicationContext> {
    private static final int POLL_MILLIS = 5;

    private final int number;

    Jobs(int number) {
        this.number = number;
    }

    /** A job without work. */
    static final class Idle implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    @Override
    public void initialize(GenericApplicationContext context) {
        Map<String, Object> properties = new TreeMap<>();
        for (int job = 0; job < number; job++) {
            String name = "job-" + job;
            context.registerBean(name, Idle.class, Idle::new);
            properties.put("ostraka.jobs." + name + ".sharding-total-count", 1);
            properties.put("ostraka.jobs." + name + ".fixed-rate", "1d");
        }
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("jobs", properties));
    }

    /** Waits until the instance works and all its jobs run as configured. */
    static void awaitHosted(ApplicationContext context, int number) throws InterruptedException {
        var registry = context.getBean(OstrakaLifecycle.class).registry().orElseThrow();
        while (true) {
            var health = registry.health();
            if (health.state() == InstanceState.WORKING
                    && health.jobs().size() == number
                    && health.jobs().values().stream().allMatch(job -> job.status() == JobHealth.Status.RUNNING)) {
                return;
            }
            Thread.sleep(POLL_MILLIS);
        }
    }
}
