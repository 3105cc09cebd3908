package io.ostraka.spring;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.event.BatchSubscriber;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.util.ClassUtils;

/** The component classes that {@code @OstrakaTest} finds. Used by the modules for
 * Spring Boot 3 and Spring Boot 4. */
public final class SliceTypes {
    private SliceTypes() {}

    /** Returns the types of beans that are jobs or extend the instance. */
    public static Set<Class<?>> all() {
        return ExtensionBeans.TYPES;
    }

    /**
     * Returns whether a class or one of its superclasses has methods that are jobs, or bean methods for jobs or
     * extensions.
     *
     * @throws IOException if the class file of a superclass cannot be read
     */
    public static boolean declares(MetadataReader type, MetadataReaderFactory readers) throws IOException {
        AnnotationMetadata metadata = type.getAnnotationMetadata();
        if (metadata.hasAnnotatedMethods(ShardedJob.class.getName())
                || metadata.hasAnnotatedMethods(JobDefinition.class.getName())
                || metadata.getAnnotatedMethods(Bean.class.getName()).stream().anyMatch(SliceTypes::isOfKnownType)) {
            return true;
        }
        String parent = type.getClassMetadata().getSuperClassName();
        return parent != null
                && !parent.equals(Object.class.getName())
                && declares(readers.getMetadataReader(parent), readers);
    }

    private static boolean isOfKnownType(MethodMetadata beanMethod) {
        Class<?> type = load(beanMethod.getReturnTypeName());
        return type != null
                && !BatchSubscriber.class.isAssignableFrom(type) // see SliceConfiguration
                && (ExtensionBeans.TYPES.stream().anyMatch(known -> known.isAssignableFrom(type))
                        || JobScanner.hasMethods(type));
    }

    /** Returns a class; null if it does not exist or refers to classes that do not exist. */
    private static @Nullable Class<?> load(String name) {
        try {
            return ClassUtils.forName(name, null);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }
}
