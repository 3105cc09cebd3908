package io.ostraka.spring.test;

import io.ostraka.spring.SliceTypes;
import java.io.IOException;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Leaves out all components, except jobs, extensions of the instance, and components that declare these. */
final class OstrakaTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<OstrakaTest> {
    OstrakaTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        return SliceTypes.all();
    }

    @Override
    protected boolean defaultInclude(MetadataReader type, MetadataReaderFactory readers) throws IOException {
        return super.defaultInclude(type, readers) || SliceTypes.declares(type, readers);
    }
}
