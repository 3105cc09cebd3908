package io.ostraka.cli;

import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A selection of jobs by their text, state and problems. */
final class Selection {
    private static final Set<String> KEYS = Set.of("search", "state", "problems");

    private Selection() {}

    /** Returns the parameters of the query; empty if nothing was selected. */
    static List<Client.Parameter> query(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>();
        call.text("--search").ifPresent(text -> query.add(new Client.Parameter("search", text)));
        call.list("--state").forEach(state -> query.add(new Client.Parameter("state", state)));
        if (call.flag("--problems")) {
            query.add(new Client.Parameter("problems", "true"));
        }
        for (Map.Entry<?, ?> each : call.map("--selector").entrySet()) {
            String key = each.getKey().toString();
            if (!KEYS.contains(key)) {
                throw Failure.usage("--selector has '" + key + "'; accepted: search=TEXT, state=STATE, problems=true");
            }
            query.add(new Client.Parameter(key, each.getValue().toString()));
        }
        return query;
    }

    static Answer<Answers.Jobs> read(Invocation call, List<Client.Parameter> query) {
        return call.client().pages(Answers.Jobs.class, call.path("jobs"), query);
    }
}
