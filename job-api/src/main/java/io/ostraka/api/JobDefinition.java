package io.ostraka.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The configuration of a job, on its class. {@link JobConfiguration#of(Class)} reads it; what it does not cover is set
 * on {@link JobConfiguration#toBuilder()}.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobDefinition {
    /** The job's name. */
    String name();

    /** How many items, from 1. */
    int shardingTotalCount();

    /** See {@link JobConfiguration#scope()}. */
    Scope scope() default Scope.SHARDED;

    /** Cron expression; empty for none. At most one of this and {@link #fixedRateMillis()}; neither is on demand. */
    String cron() default "";

    /** Time zone of {@link #cron()}. */
    String timeZone() default "UTC";

    /** Period in milliseconds, from 10; 0 for none. */
    long fixedRateMillis() default 0;

    /** Item parameters in the form {@code 0=a,1=b}. */
    String shardingItemParameters() default "";

    /** The job's parameter. */
    String jobParameter() default "";

    /** What the job is for. */
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
