package io.ostraka.core.run;

import io.ostraka.api.ItemFailure;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each failure with its stack trace. This is the default error handler. */
final class LogErrorHandler implements JobErrorHandler {
    private static final Logger log = LoggerFactory.getLogger(LogErrorHandler.class);

    @Override
    public String type() {
        return JobConfiguration.DEFAULT_ERROR_HANDLER;
    }

    @Override
    public void handle(ItemFailure failure, Throwable error) {
        try {
            log.error(
                    "job '{}' item {} of fire {} failed, attempt {}",
                    failure.jobName(),
                    failure.item(),
                    failure.fireTime(),
                    failure.attempt(),
                    error);
        } catch (Throwable e) { // user code: the stack trace calls toString of the failure
            log.error(
                    "job '{}' item {} of fire {} failed, attempt {}: {}: {}",
                    failure.jobName(),
                    failure.item(),
                    failure.fireTime(),
                    failure.attempt(),
                    failure.errorType(),
                    failure.errorMessage());
        }
    }
}
