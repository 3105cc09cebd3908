package io.ostraka.spring;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Passes the parameters of a run to the endpoint {@code ostraka}, and refuses a field that a command does not have. An
 * operation of an endpoint receives only the fields that it declares, so the endpoint itself cannot see the others.
 */
final class CommandFields implements OperationInvokerAdvisor {
    private static final EndpointId ENDPOINT = EndpointId.of("ostraka");

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType operation, OperationParameters declared, OperationInvoker invoker) {
        return !endpoint.equals(ENDPOINT) || operation != OperationType.WRITE
                ? invoker
                : context -> {
                    Object refusal = OstrakaEndpoint.refusedField(context.getArguments());
                    return refusal == null ? invoker.invoke(withParameters(context)) : refusal;
                };
    }

    private static InvocationContext withParameters(InvocationContext context) {
        Map<String, Object> parameters = new TreeMap<>();
        context.getArguments().forEach((name, value) -> {
            if (name.startsWith(OstrakaEndpoint.PARAMETER)) {
                parameters.put(name.substring(OstrakaEndpoint.PARAMETER.length()), value);
            }
        });
        if (parameters.isEmpty()) {
            return context;
        }
        Map<String, Object> arguments = new HashMap<>(context.getArguments());
        arguments.put("parameters", parameters);
        return new InvocationContext(
                context.resolveArgument(SecurityContext.class), arguments, new OperationArgumentResolver() {
                    @Override
                    public boolean canResolve(Class<?> type) {
                        return context.canResolve(type);
                    }

                    @Override
                    public <T> T resolve(Class<T> type) {
                        return context.resolveArgument(type);
                    }
                });
    }
}
