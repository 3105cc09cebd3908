package io.ostraka.console.security;

import io.ostraka.api.operations.Operations;
import io.ostraka.console.Namespaces;
import java.util.List;
import java.util.Optional;

/** Two namespaces that cannot be reached; enough for tests of the list of namespaces. */
final class NoOperations implements Namespaces {
    @Override
    public List<String> names() {
        return List.of("billing", "orders");
    }

    @Override
    public Optional<Operations> operations(String namespace) {
        return Optional.empty();
    }
}
