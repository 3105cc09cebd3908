package io.ostraka.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares the configuration of a job on its class. {@link JobConfiguration#of(Class)} reads the annotation. The
 * annotation has only the most common fields; set other fields with {@link JobConfiguration#toBuilder()}.
 *
 * <p>In a Spring application the annotation can also be on the method that creates the job's bean.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface JobDefinition {
    /** Name of the job: 1 to 128 letters, digits, dots, underscores and hyphens, starting with a letter or digit. */
    String name();

    /** Number of items, from 1 to {@value JobConfiguration#MAX_ITEMS}. */
    int shardingTotalCount();

    /** See {@link JobConfiguration#scope()}. */
    Scope scope() default Scope.SHARDED;

    /**
     * Cron expression in {@linkplain Schedule.Cron Quartz's dialect}; empty for none. Do not set both this element and
     * {@link #fixedRateMillis()}. A job without a cron expression and without a fixed rate fires only when triggered.
     */
    String cron() default "";

    /** Time zone of {@link #cron()}, such as {@code Europe/Berlin}. */
    String timeZone() default "UTC";

    /** Period between two fires in milliseconds, at least 10; 0 for none. */
    long fixedRateMillis() default 0;

    /** Parameters of individual items, in the form {@code 0=a,1=b}. */
    String shardingItemParameters() default "";

    /** Parameter that all items of the job receive. */
    String jobParameter() default "";

    /** Description of the job's purpose, for people. */
    String description() default "";

    /** Labels, each in the form {@code owner=payments}. See {@link JobConfiguration#labels()}. */
    String[] labels() default {};

    /** See {@link JobConfiguration#failover()}. */
    boolean failover() default true;

    /** See {@link JobConfiguration#paused()}. */
    boolean paused() default false;

    /** See {@link JobConfiguration#streaming()}. */
    boolean streaming() default false;

    /** See {@link JobConfiguration#shardingStrategy()}. */
    String shardingStrategy() default JobConfiguration.DEFAULT_STRATEGY;

    /** See {@link JobConfiguration#errorHandler()}. */
    String errorHandler() default JobConfiguration.DEFAULT_ERROR_HANDLER;
}
