package io.ostraka.spring;

import io.ostraka.api.JobOptions;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the options of each job: the bean of type {@link JobOptions} whose {@link Qualifier} is the name of the job. As
 * everywhere in Spring, the name of a bean without this annotation is its qualifier. Like a key of the properties, a
 * qualifier matches a job apart from case and punctuation, unless it is the exact name of another job.
 *
 * @param beans the application's beans
 */
record OptionBeans(ConfigurableListableBeanFactory beans) {
    /**
     * Returns the names of the beans, by the names of their jobs. Creates no beans.
     *
     * @param jobs names of jobs of the application
     * @param all true if these are all jobs of the application, so that each bean must belong to one of them
     * @throws StartRefusedException if a bean belongs to no job or could belong to several, or if two belong to one job
     */
    Map<String, String> names(Collection<String> jobs, boolean all) {
        Map<String, String> names = new HashMap<>();
        for (String bean : beans.getBeanNamesForType(JobOptions.class)) {
            String qualifier = qualifier(bean);
            List<String> named = JobSettings.named(qualifier, jobs);
            if (named.isEmpty() && !all) {
                continue;
            }
            if (named.size() != 1) {
                throw new StartRefusedException(
                        "bean '" + bean + "' of type JobOptions has the qualifier '" + qualifier + "', which "
                                + (named.isEmpty() ? "names no job of this application" : "could name several jobs"),
                        "annotate it with @Qualifier and the exact name of its job: "
                                + (jobs.isEmpty() ? "this application has none" : "one of " + String.join(", ", jobs)));
            }
            String other = names.putIfAbsent(named.get(0), bean);
            if (other != null) {
                throw new StartRefusedException(
                        "job '" + named.get(0) + "' has two beans of type JobOptions, '" + other + "' and '" + bean
                                + "'",
                        "combine them into one");
            }
        }
        return names;
    }

    private String qualifier(String bean) {
        Qualifier annotation = beans.findAnnotationOnBean(bean, Qualifier.class);
        return annotation == null || annotation.value().isEmpty() ? bean : annotation.value();
    }
}
