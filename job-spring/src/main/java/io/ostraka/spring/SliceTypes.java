package io.ostraka.spring;

import java.util.Set;
import org.springframework.core.type.classreading.MetadataReader;

/** The component classes that {@code @OstrakaTest} finds. Used by the modules of the lines of Spring Boot. */
public final class SliceTypes {
    private SliceTypes() {}

    /** Returns the types of beans that are jobs or extend the instance. */
    public static Set<Class<?>> all() {
        return ExtensionBeans.TYPES;
    }

    /** Returns whether a class has methods that are jobs. */
    public static boolean hasJobs(MetadataReader type) {
        return type.getAnnotationMetadata().hasAnnotatedMethods(ShardedJob.class.getName());
    }
}
