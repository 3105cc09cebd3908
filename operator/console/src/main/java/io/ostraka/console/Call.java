package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.core.tree.ValueJson;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request whose route and caller are known.
 *
 * @param request the request
 * @param parameters variables of the path, and the query
 * @param caller the caller, with the role of the route's operation for the job in the path
 * @param namespace name of the namespace
 * @param operations operations of the namespace
 * @param masking hides values in the answer
 */
record Call(
        Request request,
        Parameters parameters,
        Caller caller,
        String namespace,
        Operations operations,
        Masking masking) {
    /** Returns whether the caller may see a job. */
    boolean sees(@Nullable String job) {
        return caller.has(Role.VIEWER, namespace, job);
    }

    /** Returns an array of the values that concern jobs which the caller may see. */
    <T> JsonArray visible(Collection<T> values, Function<T, @Nullable String> job) {
        JsonArray array = new JsonArray();
        values.stream()
                .filter(each -> sees(job.apply(each)))
                .map(ValueJson::write)
                .forEach(array::add);
        return array;
    }

    /** Returns a response with a single member. */
    static Response single(String name, JsonElement value) {
        JsonObject json = new JsonObject();
        json.add(name, value);
        return Response.json(200, json);
    }
}
