package io.ostraka.spring;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/**
 * A method with {@link ShardedJob} as a job. Each run gets the bean from the factory, so the scope of the bean applies.
 * Immutable.
 */
final class MethodJob implements SimpleJob {
    private final BeanFactory beans;
    private final String bean;
    private final Method method;

    /**
     * Checks that the method can be a job.
     *
     * @param bean name of the bean that has the method
     * @throws StartRefusedException if the method cannot be a job; the message gives the reason and says how to correct
     *     it
     */
    MethodJob(BeanFactory beans, String bean, Method method) {
        this.beans = beans;
        this.bean = bean;
        this.method = method;
        if (Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())) {
            throw refused("is static or private", "make it an instance method that is not private");
        }
        if (method.getReturnType() != void.class) {
            throw refused(
                    "returns " + method.getReturnType().getSimpleName(),
                    "make it return void, since a run ends when the method returns");
        }
        for (Type type : method.getGenericParameterTypes()) {
            if (type != ShardingContext.class && !isTriggerParameters(type)) {
                throw refused(
                        "has a parameter of type " + type.getTypeName(),
                        "give it parameters of these types only: ShardingContext, and Map<String, String> for the"
                                + " parameters of a trigger");
            }
        }
    }

    /**
     * Checks that the method can be called on a bean.
     *
     * @param type class of the bean, which may be a proxy
     * @throws StartRefusedException if the bean is a proxy that does not have the method or cannot call it on its
     *     target
     */
    void requireCallable(Class<?> type) {
        try {
            AopUtils.selectInvocableMethod(method, type);
        } catch (IllegalStateException e) {
            throw refused(
                    "is not in an interface of the bean's proxy",
                    "add it to the interface, or set spring.aop.proxy-target-class to true");
        }
        if (Modifier.isFinal(method.getModifiers()) && type != ClassUtils.getUserClass(type)) {
            throw refused("is final, so the bean's proxy cannot pass its calls on", "make it not final");
        }
    }

    private static boolean isTriggerParameters(Type type) {
        return type instanceof ParameterizedType map
                && map.getRawType() == Map.class
                && map.getActualTypeArguments()[0] == String.class
                && map.getActualTypeArguments()[1] == String.class;
    }

    private StartRefusedException refused(String why, String action) {
        return new StartRefusedException(
                "bean '" + bean + "': method " + method.getName() + " with @ShardedJob " + why, action);
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        Object target = beans.getBean(bean);
        Method invocable = AopUtils.selectInvocableMethod(method, target.getClass());
        invocable.setAccessible(true);
        Object[] arguments = new Object[invocable.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = invocable.getParameterTypes()[i] == Map.class ? context.triggerParameters() : context;
        }
        try {
            invocable.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Returns the class and the method, as in {@code Reports.nightly}. */
    @Override
    public String toString() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
