package io.ostraka.types;

import io.ostraka.api.HttpFailedException;
import io.ostraka.api.HttpJob;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ShardingContext;
import io.ostraka.http.HttpGuard;
import io.ostraka.http.HttpSender;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs an item of an {@link HttpJob} with one request. */
final class HttpJobExecutor implements JobItemExecutor<HttpJob> {
    private final HttpGuard guard;
    private final HttpSender sender;

    /** @param guard decides which targets are allowed */
    HttpJobExecutor(HttpGuard guard) {
        this.guard = guard;
        this.sender = new HttpSender(guard);
    }

    @Override
    public Class<HttpJob> type() {
        return HttpJob.class;
    }

    @Override
    public void validate(HttpJob job, JobConfiguration configuration) {
        try {
            guard.requireAllowed(job.uri());
        } catch (HttpGuard.Refused e) {
            throw new JobConfigurationException(configuration.jobName(), "job", job, e.accepted(), e);
        }
    }

    @Override
    public void execute(HttpJob job, ShardingContext context) throws IOException, InterruptedException {
        Map<String, String> secrets = secrets(job);
        byte[] body = job.body();
        HttpRequest.Builder request = HttpRequest.newBuilder(job.uri())
                .method(job.method(), body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        job.headers().forEach(request::setHeader);
        secrets.forEach(request::setHeader);
        new RunValues(context).headers().forEach(request::setHeader);
        Excerpt excerpt = new Excerpt(secrets.values());
        HttpSender.Answer answer =
                sender.send(request.build(), job.connectTimeout(), job.requestTimeout(), excerpt.kept());
        if (!answer.success()) {
            boolean redirect = answer.status() >= 300 && answer.status() < 400;
            throw new HttpFailedException(
                    job + " was answered with " + answer.status()
                            + (redirect ? ", and redirects are not followed" : ""),
                    answer.status(),
                    excerpt.beginning(answer.body()));
        }
    }

    private static Map<String, String> secrets(HttpJob job) {
        Map<String, String> secrets = new LinkedHashMap<>();
        job.secretHeaders().forEach((name, secret) -> {
            String value = new String(secret.read());
            if (value.chars().anyMatch(each -> each < ' ' || each > '~')) { // the JDK's exception would show the secret
                throw new IllegalStateException(
                        "The secret for the header " + name + " has a character that is not printable ASCII");
            }
            secrets.put(name, value);
        });
        return secrets;
    }
}
