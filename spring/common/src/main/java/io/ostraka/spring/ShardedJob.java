package io.ostraka.spring;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.Scope;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Makes a method of a bean a job. For each item of a fire, Ostraka calls the method once, through the bean's proxies, so
 * that {@code @Transactional} and the like apply. The method may have these parameters, in any order, or none:
 *
 * <ul>
 *   <li>a {@link io.ostraka.api.ShardingContext};
 *   <li>a {@code Map<String, String>}, which receives the parameters of a manual trigger.
 * </ul>
 *
 * <p>The result must be {@code void}; a failed run throws an exception. The attributes are those of {@link
 * JobDefinition}. Properties below {@code ostraka.jobs.<name>} take precedence over them. A bean of type {@link
 * io.ostraka.api.JobOptions} with the job's name as its qualifier adds listeners and interceptors.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@JobDefinition(name = "", shardingTotalCount = 0)
public @interface ShardedJob {
    /** See {@link JobDefinition#name()}. */
    @AliasFor(annotation = JobDefinition.class)
    String name();

    /** See {@link JobDefinition#shardingTotalCount()}. */
    @AliasFor(annotation = JobDefinition.class)
    int shardingTotalCount();

    /** See {@link JobDefinition#scope()}. */
    @AliasFor(annotation = JobDefinition.class)
    Scope scope() default Scope.SHARDED;

    /** See {@link JobDefinition#cron()}. */
    @AliasFor(annotation = JobDefinition.class)
    String cron() default "";

    /** See {@link JobDefinition#timeZone()}. */
    @AliasFor(annotation = JobDefinition.class)
    String timeZone() default "UTC";

    /** See {@link JobDefinition#fixedRateMillis()}. */
    @AliasFor(annotation = JobDefinition.class)
    long fixedRateMillis() default 0;

    /** See {@link JobDefinition#shardingItemParameters()}. */
    @AliasFor(annotation = JobDefinition.class)
    String shardingItemParameters() default "";

    /** See {@link JobDefinition#jobParameter()}. */
    @AliasFor(annotation = JobDefinition.class)
    String jobParameter() default "";

    /** See {@link JobDefinition#description()}. */
    @AliasFor(annotation = JobDefinition.class)
    String description() default "";

    /** See {@link JobDefinition#labels()}. */
    @AliasFor(annotation = JobDefinition.class)
    String[] labels() default {};

    /** See {@link JobDefinition#failover()}. */
    @AliasFor(annotation = JobDefinition.class)
    boolean failover() default true;

    /** See {@link JobDefinition#paused()}. */
    @AliasFor(annotation = JobDefinition.class)
    boolean paused() default false;

    /** See {@link JobDefinition#shardingStrategy()}. */
    @AliasFor(annotation = JobDefinition.class)
    String shardingStrategy() default JobConfiguration.DEFAULT_STRATEGY;

    /** See {@link JobDefinition#errorHandler()}. */
    @AliasFor(annotation = JobDefinition.class)
    String errorHandler() default JobConfiguration.DEFAULT_ERROR_HANDLER;
}
