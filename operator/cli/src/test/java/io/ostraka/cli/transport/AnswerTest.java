package io.ostraka.cli.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.operations.NamespaceDetails;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerTest {
    private static final String INSTANCE = "{'instance':{'id':'a@1@2','host':'a','zone':'z','tags':{},'weight':1},"
            + "'pid':1,'state':'WORKING','leading':true,'clockAhead':false,'jobs':['settle'],'items':{'settle':3}}";

    private static JsonObject json(String text) {
        return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    }

    @Test
    void membersOfALaterServerAreIgnored() {
        JsonObject json = json("{'instances':[" + INSTANCE.replace("'pid'", "'later':{'x':[null]},'pid'")
                + "],'later':[null],'total':1}");
        Answer<Answers.Instances> answer = Answer.of(json, Answers.Instances.class);

        assertThat(answer.value().instances().get(0).items()).containsEntry("settle", 3);
        assertThat(answer.json()).isEqualTo(json);
    }

    @Test
    void valueThatMayBeAbsentIsNull() {
        JsonObject json = json("{'instances':1,'jobs':2,'drained':{'a':{'by':'ann','reason':'','at':"
                + "'2026-01-31T22:00:00Z'}},'version':3,'at':'2026-01-31T22:00:00Z','frozen':null}");
        NamespaceDetails details = Answer.of(json, NamespaceDetails.class).value();

        assertThat(details.frozen()).isNull();
        assertThat(details.drained().get("a").at()).isEqualTo(Instant.parse("2026-01-31T22:00:00Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'instances':[|'instances2':[|instances is missing",
                "'instances':[|'instances':null,'x':[|instances is missing",
                "'instances':[|'instances':[null,|instances[0] is missing",
                "'jobs':['settle'],|``|instances[0].jobs is missing",
                "'jobs':['settle']|'jobs':[null]|instances[0].jobs[0] is missing",
                "'host':'a',|``|instances[0].instance.host is missing",
                "'state':'WORKING'|'state':'ASLEEP'|instances[0].state is \"ASLEEP\"; accepted: one of [",
                "'pid':1|'pid':'one'|instances[0].pid is \"one\"; accepted: a whole number",
                "'leading':true|'leading':'yes'|instances[0].leading is \"yes\"; accepted: true, false",
                "'settle':3|'settle':[]|instances[0].items.settle is []; accepted: a whole number",
                "'weight':1|'weight':0|weight of instance a@1@2 is 0; accepted: 1 or more"
            })
    void memberThatCannotBeReadIsNamed(String part, String replacement, String text) {
        String whole = "{'instances':[" + INSTANCE + "]}";
        JsonObject json = json(whole.replace(part, replacement));

        assertThat(whole).contains(part);
        assertThatThrownBy(() -> Answer.of(json, Answers.Instances.class))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("this program cannot read the answer: " + text);
    }

    @Test
    void listOfAnotherTypeIsRefused() {
        for (String value : List.of("{}", "5", "'text'")) {
            assertThatThrownBy(() -> Answer.of(json("{'differences':" + value + "}"), Answers.Differences.class))
                    .as(value)
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("differences");
        }
    }
}
