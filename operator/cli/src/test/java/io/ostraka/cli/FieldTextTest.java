package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.cli.transport.Failure;
import io.ostraka.core.tree.ValueJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldTextTest {
    private static Map<String, String> values(String line) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String each : line.split(";")) {
            String[] parts = each.strip().split("=", 2);
            values.put(parts[0], parts[1]);
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cron=0 0 6 * * ?|{'schedule':{'type':'cron','expression':'0 0 6 * * ?','zone':'UTC'}}",
                "timeZone=Europe/Berlin; cron=0 0 6 * * ?"
                        + "|{'schedule':{'type':'cron','expression':'0 0 6 * * ?','zone':'Europe/Berlin'}}",
                "fixedRate=10s|{'schedule':{'type':'fixedRate','period':'PT10S'}}",
                "fixedDelay=1h30m|{'schedule':{'type':'fixedDelay','delay':'PT1H30M'}}",
                "continuous=PT1S|{'schedule':{'type':'continuous','idle':'PT1S'}}",
                "schedule={'type':'onDemand'}|{'schedule':{'type':'onDemand'}}",
                "timeout=10m; maxAttempts=5|{'timeout':'PT10M','maxAttempts':5}",
                "timeout=null|{'timeout':null}",
                "description=5|{'description':'5'}",
                "misfire=fire-all(3)|{'misfire':{'max':3,'type':'fireAll'}}",
                "overlap=queue(2)|{'overlap':{'max':2,'type':'queue'}}",
                "labels=team=pay, owner=ann|{'labels':{'team':'pay','owner':'ann'}}",
                "labels={'a':'b,c'}|{'labels':{'a':'b,c'}}",
                "shardingItemParameters=0=a,1=b=c|{'shardingItemParameters':{'0':'a','1':'b=c'}}",
                "retry={'attempts':3}|{'retry':{'attempts':3}}",
                "failover=false; alarms=off|{'failover':false,'alarms':'off'}",
                "unknown=5|{'unknown':5}"
            })
    void valuesAreReadAsPeopleTypeThem(String line, String json) {
        assertThat(FieldText.json(values(line.replace('\'', '"'))))
                .isEqualTo(JsonParser.parseString(json.replace('\'', '"')));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "fixedRate=often|fixedRate: 'often' is not a duration; accepted: 30s",
                "timeout=often|timeout: 'often' is not a duration; accepted: 30s",
                "cron=0 0 6 * * ?; fixedRate=10s|schedule is set by cron and fixedRate; accepted: one of 'cron=",
                "cron=0 0 6 * * ?; schedule={}|schedule is set by cron and schedule; accepted: one of 'cron=",
                "timeZone=UTC|schedule is set by timeZone; accepted: one of 'cron=",
                "timeZone=UTC; fixedRate=10s|schedule is set by fixedRate and timeZone; accepted: one of 'cron=",
                "schedule=0 0 6 * * ?|schedule is '0 0 6 * * ?'; accepted: one of 'cron=",
                "misfire=sometimes|misfire: ",
                "labels=team|labels is 'team'; accepted: KEY=TEXT,KEY=TEXT",
                "labels=a=1,a=2|labels is 'a=1,a=2'; accepted: KEY=TEXT,KEY=TEXT with different keys",
                "retry=3|retry is '3'; accepted: JSON in quotation marks, such as 'retry={"
            })
    void errorNamesTheFieldAndTheAcceptedForms(String line, String text) {
        assertThatThrownBy(() -> FieldText.json(values(line)))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith(text);
    }

    @Test
    void shortFormsSetTheSchedule() {
        assertThat(FieldText.fields(values("cron=0 0 6 * * ?; timeZone=UTC; timeout=1m")))
                .containsExactly("schedule", "timeout");
    }

    /** The default of each field, as the table of the fields shows it, can be typed. */
    @Test
    void defaultOfEachFieldCanBeTyped() {
        for (JobField<?> field : JobConfiguration.fields()) {
            String shown = ValueJson.write(field, field.unset()).toString().replaceAll("^\"|\"$", "");
            assertThat(FieldText.json(Map.of(field.name(), shown)).get(field.name()))
                    .as(field.name())
                    .isEqualTo(ValueJson.write(field, field.unset()));
        }
    }
}
