package io.ostraka.spring;

import io.ostraka.api.JobOptions;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The jobs of an application context, the application's own configurations of them, and their options. */
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
     * A job with the application's own configuration.
     *
     * @param found bean or method of the job
     * @param own configuration of the job without the values of a platform
     * @param options returns the options of the job, and creates their bean if it does not exist yet
     */
    record Configured(JobScanner.Found found, EffectiveConfiguration own, Supplier<JobOptions> options) {}

    /**
     * Finds all jobs. Creates no beans, except lazy factory beans whose type is only known after they have been
     * created.
     *
     * @throws StartRefusedException if a bean or method cannot be a job, if two have the same name, or if the options of a
     *     job are not clear
     * @throws InvalidPropertyException if a property is not accepted
     */
    List<Configured> find() {
        return find(true);
    }

    /** Finds the jobs of a part of the application. Unlike {@link #find}, accepts properties of jobs in other parts. */
    List<Configured> findInPart() {
        return find(false);
    }

    private List<Configured> find(boolean all) {
        List<JobScanner.Found> jobs = JobScanner.scan(beans, properties.jobs().keySet());
        List<String> names = jobs.stream().map(JobScanner.Found::name).toList();
        Map<String, String> keys = settings.keys(names, all);
        Map<String, String> options = new OptionBeans(beans).names(names, all);
        return jobs.stream()
                .map(job -> new Configured(
                        job,
                        settings.settle(job.name(), keys.get(job.name()), job.definition(), job.declaration()),
                        options(options.get(job.name()))))
                .toList();
    }

    private Supplier<JobOptions> options(@Nullable String bean) {
        return bean == null ? JobOptions::none : () -> beans.getBean(bean, JobOptions.class);
    }
}
