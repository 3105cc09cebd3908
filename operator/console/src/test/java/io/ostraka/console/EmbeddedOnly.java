package io.ostraka.console;

import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A program that embeds the API. It prints the status of a request for a namespace, and of one for its history. */
final class EmbeddedOnly implements Namespaces, Caller {
    private EmbeddedOnly() {}

    public static void main(String[] args) {
        EmbeddedOnly self = new EmbeddedOnly();
        Api api = new Api(self, false);
        for (String path : List.of("", "/orders/history/failures")) {
            Request request = new Request("GET", Routes.NAMESPACES + path, "", Map.of(), new byte[0], "test", false);
            System.out.println(api.handle(request, self).status());
        }
    }

    /** Returns operations that fail. */
    static Operations unused() {
        return (Operations) Proxy.newProxyInstance(
                Operations.class.getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    @Override
    public List<String> names() {
        return List.of("orders");
    }

    @Override
    public Optional<Operations> operations(String namespace) {
        return Optional.of(unused());
    }

    @Override
    public String name() {
        return "ann";
    }

    @Override
    public String origin() {
        return "test";
    }

    @Override
    public boolean has(Role role, String namespace, @Nullable String job) {
        return true;
    }

    @Override
    public boolean sees(String namespace) {
        return true;
    }
}
