package io.ostraka.spring;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.CommandAudit;
import io.ostraka.console.servlet.CallerResolver;
import io.ostraka.console.servlet.Callers;
import io.ostraka.console.servlet.ConsoleServlet;
import io.ostraka.console.servlet.ServletConsole;
import io.ostraka.history.History;
import jakarta.servlet.http.HttpServlet;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Serves the operations in the application's web server, below {@code /ostraka}, if a property enables this. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "ostraka.console.enabled", havingValue = "true")
class ConsoleConfiguration {
    private static final String SPRING_SECURITY = "org.springframework.security.web.SecurityFilterChain";
    private static final String CONSOLE = "ostrakaConsole";

    /** Makes the application fail at its start if the console cannot be served. */
    @Bean
    static SmartInitializingSingleton ostrakaConsoleCheck(ConfigurableApplicationContext context) {
        return () -> {
            if (!context.containsBean(CONSOLE)) {
                throw InvalidPropertyException.of(
                        "ostraka.console.enabled",
                        true,
                        "false; or true in a servlet web application that depends on ostraka-job-console",
                        null);
            }
        };
    }

    /** Stores the commands in the history of the application, if it has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ServletConsole.class, History.class})
    static class Audited {
        @Bean
        CommandAudit ostrakaCommandAudit(ObjectProvider<History> histories) {
            History history = histories.getIfAvailable();
            return history == null ? CommandAudit.NONE : history::audited;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({ServletConsole.class, HttpServlet.class})
    static class Mounted {
        @Bean(name = CONSOLE, destroyMethod = "close")
        ServletConsole ostrakaConsole(
                OstrakaProperties properties,
                Environment environment,
                Operations operations,
                ObjectProvider<CallerResolver> resolvers,
                ObjectProvider<CommandAudit> audit,
                ConfigurableApplicationContext context) {
            String namespace = RegistryFactory.namespace(properties, environment);
            CallerResolver callers = resolvers.getIfAvailable(() -> callers(properties.console(), context));
            List<String> hosts = properties.console().hosts();
            try {
                return new ServletConsole(
                        namespace,
                        orUnavailable(operations),
                        properties.console().maskParameters(),
                        callers,
                        audit.getIfAvailable(() -> CommandAudit.NONE),
                        hosts);
            } catch (IllegalArgumentException e) {
                throw InvalidPropertyException.of(
                        "ostraka.console.hosts", hosts, "names without ports, such as jobs.example.com", e);
            }
        }

        /** The servlet, which needs the application's security on its path. */
        @Bean
        ServletRegistrationBean<ConsoleServlet> ostrakaConsoleServlet(ServletConsole console) {
            ServletRegistrationBean<ConsoleServlet> servlet =
                    new ServletRegistrationBean<>(console.servlet(), "/ostraka/*");
            servlet.setName(CONSOLE);
            servlet.setAsyncSupported(true);
            return servlet;
        }

        private static CallerResolver callers(
                OstrakaProperties.Console console, ConfigurableApplicationContext context) {
            if (ClassUtils.isPresent(SPRING_SECURITY, context.getClassLoader())) {
                return Callers.byRole();
            }
            if (!console.allowAnonymousViewer()) {
                throw InvalidPropertyException.of(
                        "ostraka.console.enabled",
                        true,
                        "true only with Spring Security or a bean of type CallerResolver. To let everybody read, set"
                                + " ostraka.console.allow-anonymous-viewer to true",
                        null);
            }
            return Callers.anonymousViewer();
        }

        /** Returns operations that report a stopped or disabled instance in the same way as a lost connection. */
        private static Operations orUnavailable(Operations operations) {
            ProxyFactory factory = new ProxyFactory(Operations.class, (MethodInterceptor) call -> {
                try {
                    return call.getMethod().invoke(operations, call.getArguments());
                } catch (InvocationTargetException e) {
                    throw e.getCause() instanceof IllegalStateException closed
                            ? new CoordinationException(String.valueOf(closed.getMessage()), closed)
                            : e.getCause();
                }
            });
            return (Operations) factory.getProxy(Operations.class.getClassLoader());
        }
    }
}
