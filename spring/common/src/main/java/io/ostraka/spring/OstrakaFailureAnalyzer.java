package io.ostraka.spring;

import io.ostraka.api.JobConfigurationException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.util.ClassUtils;

/**
 * Explains why an application does not start because of its jobs. For a wrong property below {@code ostraka}: the
 * property, its file and line, its value, and the accepted values. For a bean that cannot be a job: the reason, and how
 * to correct it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OstrakaFailureAnalyzer extends AbstractFailureAnalyzer<Throwable> {
    private static final String ACTION =
            "Correct the application's configuration. Ostraka's docs/spring.md lists all properties.";

    /** Separates the refused value from the accepted ones in the messages of the library. */
    private static final String ACCEPTS = "accepted: ";

    /** Last element of the names of properties whose values are not shown. */
    private static final Pattern SECRET = Pattern.compile("(.*-)?(passwords?|secrets?|keys?)");

    private static final Map<Class<?>, String> ACCEPTED = Map.of(
            Map.class, "properties below it, each with a name and a value",
            Integer.class, "a whole number",
            Long.class, "a whole number",
            Double.class, "a number",
            Boolean.class, "true or false",
            Duration.class, DurationUnits.ACCEPTED,
            ZoneId.class, "a time zone, such as Europe/Berlin",
            Instant.class, "an instant, such as 2027-01-31T22:00:00Z",
            LocalDate.class, "a date, such as 2026-12-24");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, Throwable cause) {
        for (Throwable each = root; each != null; each = each.getCause()) {
            if (each instanceof StartRefusedException refused) {
                return new FailureAnalysis(refused.description(), refused.action(), each);
            }
            String text = text(each);
            if (text != null) {
                return new FailureAnalysis(text, ACTION, each);
            }
        }
        return null;
    }

    private static @Nullable String text(Throwable failure) {
        if (failure instanceof InvalidPropertyException || failure instanceof JobConfigurationException) {
            return failure.getMessage();
        }
        if (failure instanceof BindException bind && (bind.getName() + ".").startsWith("ostraka.")) {
            return text(bind);
        }
        return null;
    }

    private static @Nullable String text(BindException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                return unbound.getUnboundProperties().stream()
                        .map(OstrakaFailureAnalyzer::unknown)
                        .collect(Collectors.joining("\n"));
            }
            if (cause instanceof InvalidPropertyException) {
                return cause.getMessage();
            }
        }
        ConversionFailedException conversion = conversion(failure);
        ConfigurationProperty property = failure.getProperty();
        String name = "property " + (property == null ? failure.getName() : PropertyPlaces.of(property));
        Class<?> type = conversion == null
                ? failure.getTarget().getType().resolve(Object.class)
                : conversion.getTargetType().getType();
        if (type.isRecord()) { // the value is not shown, because it may contain a password, as in user:password
            return name + " is a group; accepted below it: " + names(type);
        }
        // the value of a conversion contains no placeholders, because Spring has replaced them
        Object value = conversion != null ? conversion.getValue() : property != null ? property.getValue() : null;
        String last = failure.getName().getLastElement(ConfigurationPropertyName.Form.DASHED);
        if (SECRET.matcher(last).matches()) {
            return name + " is not accepted; accepted: " + ACCEPTED.getOrDefault(type, type.getSimpleName());
        }
        return name + " is '" + value + "'; accepted: "
                + accepted(type, conversion == null ? innermost(failure) : conversion.getCause());
    }

    /** Returns the failed conversion of the innermost element of a list or map; null if no conversion has failed. */
    private static @Nullable ConversionFailedException conversion(Throwable failure) {
        ConversionFailedException found = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConversionFailedException conversion) {
                found = conversion;
            }
        }
        return found;
    }

    private static String unknown(ConfigurationProperty property) {
        return "property " + PropertyPlaces.of(property) + " is unknown; accepted: " + siblings(property.getName());
    }

    /** Returns the names that are accepted in place of the first unknown element of a name. */
    private static String siblings(ConfigurationPropertyName name) {
        Class<?> type = OstrakaProperties.class;
        for (int element = 1; ; element++) {
            Map<String, Class<?>> known = components(type);
            String own = name.getElement(element, ConfigurationPropertyName.Form.UNIFORM);
            Class<?> next = known.get(own.replace("-", ""));
            if (next == Map.class && element + 2 < name.getNumberOfElements()) {
                next = JobProperties.class;
                element++; // the name of the job
            }
            if (next == null || !next.isRecord() || element + 1 == name.getNumberOfElements()) {
                return names(type);
            }
            type = next;
        }
    }

    private static String names(Class<?> group) {
        return Stream.of(group.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .collect(Collectors.joining(", "));
    }

    private static Map<String, Class<?>> components(Class<?> type) {
        return Stream.of(type.getRecordComponents())
                .collect(Collectors.toMap(
                        component -> component.getName().toLowerCase(Locale.ROOT), RecordComponent::getType));
    }

    /** Returns the accepted values of a type, or else those that the message of a refusal names. */
    private static String accepted(Class<?> type, @Nullable Throwable refusal) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant ->
                            constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .collect(Collectors.joining(", "));
        }
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        String known = ACCEPTED.get(boxed);
        String message = refusal == null ? "" : String.valueOf(refusal.getMessage());
        int accepted = message.indexOf(ACCEPTS);
        return known != null ? known : accepted < 0 ? message : message.substring(accepted + ACCEPTS.length());
    }

    private static Throwable innermost(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return innermost;
    }
}
