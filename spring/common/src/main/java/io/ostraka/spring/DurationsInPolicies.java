package io.ostraka.spring;

import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.HistoryLevel;
import java.util.regex.Pattern;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.convert.converter.Converter;

/**
 * Accepts durations in Spring's form, such as {@code 10s}, within the text of a history level or an alarm policy, as in
 * all other properties. The library itself accepts only the form {@code PT10S}.
 */
@Configuration(proxyBeanMethods = false)
class DurationsInPolicies {
    /** A number and a unit between the characters that surround a duration in such a text. */
    private static final Pattern DURATION =
            Pattern.compile("(?<=[(=])[+-]?\\d+(ns|us|ms|s|m|h|d)(?=[),\\s]|$)", Pattern.CASE_INSENSITIVE);

    /** Reads history levels. */
    static final class HistoryLevels implements Converter<String, HistoryLevel> {
        @Override
        public HistoryLevel convert(String text) {
            return HistoryLevel.of(iso(text));
        }
    }

    /** Reads alarm policies. */
    static final class AlarmPolicies implements Converter<String, AlarmPolicy> {
        @Override
        public AlarmPolicy convert(String text) {
            return AlarmPolicy.of(iso(text));
        }
    }

    @Bean
    @ConfigurationPropertiesBinding
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static HistoryLevels ostrakaHistoryLevels() {
        return new HistoryLevels();
    }

    @Bean
    @ConfigurationPropertiesBinding
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AlarmPolicies ostrakaAlarmPolicies() {
        return new AlarmPolicies();
    }

    private static String iso(String text) {
        return DURATION.matcher(text)
                .replaceAll(found -> DurationStyle.SIMPLE.parse(found.group()).toString());
    }
}
