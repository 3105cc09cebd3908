package io.ostraka.spring;

import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The jobs of an application context and their configurations. */
final class ApplicationJobs {
    private final OstrakaProperties properties;
    private final JobSettings settings;
    private final ConfigurableListableBeanFactory beans;

    ApplicationJobs(OstrakaProperties properties, PropertyPlaces places, ConfigurableListableBeanFactory beans) {
        this.properties = properties;
        this.settings = new JobSettings(properties, places);
        this.beans = beans;
    }

    /**
     * A job with its configuration.
     *
     * @param found bean or method of the job
     * @param effective configuration of the job
     */
    record Configured(JobScanner.Found found, EffectiveConfiguration effective) {}

    /**
     * Finds all jobs. Creates no beans, except lazy factory beans whose type is unknown before.
     *
     * @throws IllegalStateException if a bean or method cannot be a job, or if two have the same name
     * @throws InvalidPropertyException if a property is not accepted
     */
    List<Configured> find() {
        List<JobScanner.Found> jobs = scan();
        settings.requireKnown(jobs.stream().map(JobScanner.Found::name).toList());
        return configured(jobs);
    }

    /** Finds the jobs of a part of the application. Properties may name other jobs. See {@link #find}. */
    List<Configured> findInPart() {
        return configured(scan());
    }

    private List<JobScanner.Found> scan() {
        return JobScanner.scan(beans, properties.jobs().keySet());
    }

    private List<Configured> configured(List<JobScanner.Found> jobs) {
        return jobs.stream()
                .map(job -> new Configured(job, settings.settle(job.name(), job.definition(), job.declaration())))
                .toList();
    }
}
