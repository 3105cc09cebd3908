package io.ostraka.spring;

import io.ostraka.lite.RegistryBuilder;

/**
 * Changes the settings of this application's instance. Beans of this type run in the order of {@code @Order}, after all
 * properties and beans have been applied to the builder and before the instance connects.
 */
@FunctionalInterface
public interface RegistryBuilderCustomizer {
    /** Changes the builder. Exceptions fail the start of the application. */
    void customize(RegistryBuilder builder);
}
