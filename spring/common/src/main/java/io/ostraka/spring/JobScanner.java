package io.ostraka.spring;

import io.ostraka.api.Job;
import io.ostraka.api.JobDefinition;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the jobs among the beans of a context: beans that implement {@link Job}, and methods with {@link ShardedJob}.
 * The scanner reads the definitions of the beans. Therefore it finds lazy beans without creating them, and counts a
 * prototype only once.
 */
final class JobScanner {
    /** Scopes of beans that exist only while a web request is handled. */
    private static final Set<String> WEB_SCOPES = Set.of("request", "session", "application", "websocket");

    private static final Logger log = LoggerFactory.getLogger(JobScanner.class);

    private final ConfigurableListableBeanFactory beans;
    private final Set<String> configured;
    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * A job in a context.
     *
     * @param name name of the job
     * @param declaration the class or method that declares it, for messages
     * @param definition its annotation; null if it has none
     * @param code returns the job, and creates its bean if it does not exist yet
     */
    record Found(String name, String declaration, @Nullable JobDefinition definition, Supplier<Job> code) {}

    private JobScanner(ConfigurableListableBeanFactory beans, Set<String> configured) {
        this.beans = beans;
        this.configured = configured;
    }

    /**
     * Finds all jobs.
     *
     * @param configured names of jobs that have properties. A bean with such a name is a job even without an annotation
     * @throws StartRefusedException if a bean or method cannot be a job, or if two have the same name; the message says
     *     how to correct this
     */
    static List<Found> scan(ConfigurableListableBeanFactory beans, Set<String> configured) {
        var scanner = new JobScanner(beans, configured);
        for (String bean : beans.getBeanNamesForType(Object.class)) {
            if (!ScopedProxyUtils.isScopedTarget(bean)) {
                scanner.scan(bean);
            }
        }
        return new ArrayList<>(scanner.found.values());
    }

    private void scan(String bean) {
        String definition = bean;
        Class<?> type;
        Map<Method, JobDefinition> methods;
        try {
            type = targetClass(bean);
            if (type != null && ScopedObject.class.isAssignableFrom(type)) {
                definition = ScopedProxyUtils.getTargetBeanName(bean);
                type = targetClass(definition);
            }
            if (type == null) {
                return;
            }
            methods = methods(type);
        } catch (LinkageError | RuntimeException e) { // the type refers to classes that the application does not have
            log.info("bean '{}' cannot have jobs, because its class cannot be read: {}", bean, e.toString());
            return;
        }
        if (Job.class.isAssignableFrom(type)) {
            add(ofBean(bean, definition, type));
        } else if (definition(definition, type) != null) {
            throw new StartRefusedException(
                    "bean '" + bean + "' of type " + type.getName() + " has @JobDefinition but is no job",
                    "implement a job type such as SimpleJob, or add @ShardedJob to a method");
        }
        String target = definition;
        methods.forEach((method, annotation) -> add(ofMethod(bean, target, method, annotation)));
    }

    /**
     * Returns the class of a bean behind its proxies. A post-processor that replaces a bean by a proxy may not tell the
     * factory this class. Then the proxy itself or the bean's definition knows it.
     */
    private @Nullable Class<?> targetClass(String bean) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        if (type == null || !Proxy.isProxyClass(type)) {
            return type;
        }
        Class<?> target = beans.containsSingleton(bean) ? AopProxyUtils.ultimateTargetClass(beans.getBean(bean)) : type;
        if (!Proxy.isProxyClass(target)) {
            return target;
        }
        Class<?> declared = beans.containsBeanDefinition(bean)
                ? beans.getMergedBeanDefinition(bean).getResolvableType().resolve()
                : null;
        return declared != null && hasMethods(declared) ? declared : type;
    }

    /** Returns the annotation of a bean's class or bean method; null if it has none. */
    private @Nullable JobDefinition definition(String bean, Class<?> type) {
        JobDefinition ofBean = beans.findAnnotationOnBean(bean, JobDefinition.class);
        return ofBean == null ? AnnotatedElementUtils.findMergedAnnotation(type, JobDefinition.class) : ofBean;
    }

    /** Returns whether a class has methods with {@link ShardedJob}; false if its methods cannot be read. */
    static boolean hasMethods(Class<?> type) {
        try {
            return !methods(type).isEmpty();
        } catch (LinkageError | RuntimeException e) {
            return false;
        }
    }

    /** Returns the methods with {@link ShardedJob} of a class and its superclasses. */
    private static Map<Method, JobDefinition> methods(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, ShardedJob.class)) {
            return Map.of();
        }
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<JobDefinition>)
                method -> AnnotatedElementUtils.hasAnnotation(method, ShardedJob.class)
                        ? AnnotatedElementUtils.findMergedAnnotation(method, JobDefinition.class)
                        : null);
    }

    private Found ofBean(String bean, String definition, Class<?> type) {
        requireNoWebScope(bean, definition);
        JobDefinition annotation = definition(definition, type);
        if (annotation == null && configured.stream().noneMatch(key -> JobSettings.names(key, bean))) {
            throw new StartRefusedException(
                    "bean '" + bean + "' of type " + type.getName() + " is a job without a configuration",
                    "add @JobDefinition to its class or to its bean method, or set ostraka.jobs." + bean
                            + ".sharding-total-count");
        }
        return new Found(
                annotation == null ? bean : annotation.name(),
                "bean '" + bean + "' of type " + type.getName(),
                annotation,
                () -> beans.getBean(bean, Job.class));
    }

    private Found ofMethod(String bean, String definition, Method method, JobDefinition annotation) {
        requireNoWebScope(bean, definition);
        var job = new MethodJob(beans, bean, method);
        Class<?> exposed = beans.getType(bean);
        if (exposed != null) {
            job.requireCallable(exposed);
        }
        return new Found(
                annotation.name(), "method " + method.getName() + " of bean '" + bean + "'", annotation, () -> job);
    }

    private void requireNoWebScope(String bean, String definition) {
        if (!beans.containsBeanDefinition(definition)) {
            return;
        }
        String scope = beans.getMergedBeanDefinition(definition).getScope();
        if (scope != null && WEB_SCOPES.contains(scope)) {
            throw new StartRefusedException(
                    "bean '" + bean + "' has a job and the scope " + scope,
                    "give it a scope that does not need a web request");
        }
    }

    private void add(Found job) {
        Found other = found.putIfAbsent(job.name(), job);
        if (other != null) {
            throw new StartRefusedException(
                    "job '" + job.name() + "' is declared twice, by " + other.declaration() + " and by "
                            + job.declaration(),
                    "give each job a name of its own");
        }
    }
}
