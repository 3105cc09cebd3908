package io.ostraka.console.security;

import org.slf4j.LoggerFactory;

/**
 * Receives the logins for an audit. The thread of the request calls it, so it must not block for long. When a limit is
 * reached, the audit receives the failed login that reached it. It does not receive the attempts that the limit then
 * refuses, because they could fill up the audit.
 */
@FunctionalInterface
public interface LoginAudit {
    /**
     * Records a login.
     *
     * @param name name of the user as sent, without control characters; the user need not exist
     * @param client address of the client
     * @param success true if the login succeeded
     * @param reason reason of the result, for people; without secrets
     */
    void login(String name, String client, boolean success, String reason);

    /** Returns an audit that writes one line at level INFO for each login. */
    static LoginAudit log() {
        return new LoginLog(LoggerFactory.getLogger(LoginAudit.class)::info);
    }
}
