package io.ostraka.spring;

import java.time.Duration;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Refuses durations without a unit in properties below {@code ostraka}. Spring takes them for milliseconds, but the
 * reader of {@code timeout: 10} expects seconds. Properties of other libraries are not affected.
 *
 * @param environment resolves placeholders in the values of properties
 */
record DurationUnits(Environment environment) implements ConfigurationPropertiesBindHandlerAdvisor {
    static final String ACCEPTED = "a duration with a unit, such as 500ms, 10s, 5m or PT10S";

    private static final ConfigurationPropertyName OSTRAKA = ConfigurationPropertyName.of("ostraka");
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (result instanceof Duration && property != null && OSTRAKA.isAncestorOf(name)) {
                    requireUnit(property);
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    private void requireUnit(ConfigurationProperty property) {
        String text = environment.resolvePlaceholders(String.valueOf(property.getValue()));
        if (isMissing(text)) {
            throw InvalidPropertyException.of(PropertyPlaces.of(property), text, ACCEPTED, null);
        }
    }

    /** Returns whether the text of a duration has no unit. */
    static boolean isMissing(String duration) {
        return NUMBER.matcher(duration.trim()).matches();
    }
}
