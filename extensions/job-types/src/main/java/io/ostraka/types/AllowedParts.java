package io.ostraka.types;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.time.Clock;
import io.ostraka.http.HttpGuard;
import io.ostraka.lite.Powers;
import io.ostraka.lite.ProcessExtension;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of one process. The executors refuse jobs that the application has not allowed. */
final class AllowedParts implements ProcessExtension.Parts {
    private final List<JobItemExecutor<?>> executors;
    private final @Nullable WebhookErrorHandler webhook;
    private final @Nullable AlarmWebhook alarmWebhook;
    private final @Nullable Heartbeats heartbeats;

    AllowedParts(Powers powers, Clock clock) {
        Set<String> privates = powers.privateHosts();
        executors = List.of(
                new ScriptJobExecutor(powers.scriptJobs()),
                new HttpJobExecutor(new HttpGuard(powers.httpHosts(), privates)));
        Powers.Webhook failures = powers.webhook();
        webhook = failures == null
                ? null
                : new WebhookErrorHandler(
                        failures.target(), failures.secret(), HttpGuard.of(failures.target(), privates), clock);
        Powers.AlarmTarget alarms = powers.alarmWebhook();
        alarmWebhook = alarms == null
                ? null
                : new AlarmWebhook(
                        alarms.target(),
                        alarms.secret(),
                        alarms.template(),
                        HttpGuard.of(alarms.target(), privates),
                        clock);
        heartbeats = powers.heartbeats().isEmpty() ? null : new Heartbeats(powers.heartbeats(), privates, clock);
    }

    @Override
    public List<JobItemExecutor<?>> jobItemExecutors() {
        return executors;
    }

    @Override
    public List<JobErrorHandler> errorHandlers() {
        return webhook == null ? List.of() : List.of(webhook);
    }

    @Override
    public List<AlarmHandler> alarmHandlers() {
        return alarmWebhook == null ? List.of() : List.of(alarmWebhook);
    }

    @Override
    public List<EventSubscriber> eventSubscribers() {
        return heartbeats == null ? List.of() : List.of(heartbeats);
    }

    @Override
    public List<String> close(Supplier<Duration> timeLeft) {
        long unsent = webhook == null ? 0 : webhook.close(timeLeft.get());
        if (heartbeats != null) {
            heartbeats.close(timeLeft.get());
        }
        return unsent == 0 ? List.of() : List.of(unsent + " unsent webhook reports");
    }
}
