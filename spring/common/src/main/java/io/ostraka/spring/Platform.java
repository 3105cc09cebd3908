package io.ostraka.spring;

import io.ostraka.api.JobConfiguration;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A platform that configures the jobs of the application. This interface hides the types of the optional module
 * {@code ostraka-job-remote}. Thread-safe.
 */
interface Platform extends AutoCloseable {
    /** A platform that configures nothing. */
    Platform NONE = new Platform() {
        @Override
        public EffectiveConfiguration effective(EffectiveConfiguration own) {
            return own;
        }

        @Override
        public RegistryBuilder registry(String servers, String namespace, Consumer<RegistryBuilder> own) {
            RegistryBuilder builder = ZooKeeperRegistry.newBuilder(servers, namespace);
            own.accept(builder);
            return builder;
        }

        @Override
        public void reportTo(RegistryBuilder builder) {}

        @Override
        public void follow(ZooKeeperRegistry registry) {}

        @Override
        public Map<String, Object> details() {
            return Map.of();
        }

        @Override
        public void close() {}
    };

    /** Requests the configuration from the platform, if the application has one. */
    @FunctionalInterface
    interface Loader {
        /**
         * Sends one request to the platform. If the platform does not answer, the result has the last accepted answer
         * from the disk or, without such an answer, the given configurations.
         *
         * @param own the application's own configurations of its jobs
         * @throws InvalidPropertyException if a property of the platform is not accepted
         */
        Platform load(List<JobConfiguration> own);
    }

    /** Returns the present configuration of a job, and the source of each field. */
    EffectiveConfiguration effective(EffectiveConfiguration own);

    /**
     * Returns a builder with the platform's connection settings. The health of the registry reports problems of the
     * platform.
     *
     * @param servers servers of ZooKeeper if the platform sets none
     * @param own sets the application's own connection settings, over which the platform's take precedence
     */
    RegistryBuilder registry(String servers, String namespace, Consumer<RegistryBuilder> own);

    /** Makes a registry's health report problems of the platform. The platform's connection settings are not used. */
    void reportTo(RegistryBuilder builder);

    /** Applies newer configurations to the registry's jobs until {@link #close}. Called once, when all are hosted. */
    void follow(ZooKeeperRegistry registry);

    /** Returns details for health; empty if there is no platform. */
    Map<String, Object> details();

    /** Ends the requests. A second call does nothing. */
    @Override
    void close();
}
