package io.ostraka.core.instance;

import io.ostraka.api.operations.Operations;
import java.util.ServiceLoader;

/**
 * Creates the operator's views and commands. They are a module of their own, because an instance carries out the
 * orders of operators without it. {@link ServiceLoader} finds the implementation.
 */
public interface OperationsFactory {
    /** Creates the operations of an instance or an observer. */
    Operations create(OperationsPort port, Answers answers);

    /**
     * Returns the factory on the class path.
     *
     * @throws IllegalStateException if there is none; the message names the artifact that contains it
     */
    static OperationsFactory find() {
        return ServiceLoader.load(OperationsFactory.class, OperationsFactory.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the views and commands of operators are not on the class"
                        + " path: add the dependency io.ostraka:ostraka-job-operations"));
    }
}
