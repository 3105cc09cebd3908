package io.ostraka.console.security;

import org.slf4j.LoggerFactory;

/**
 * Receives the logins and the ends of sessions for an audit. The thread of the request calls it, so it must not block for long. When a limit is
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

    /**
     * Records the end of a session by a logout or by a person. By default, does nothing.
     *
     * @param name name of the session's user
     * @param client address of the client that has ended the session
     * @param reason reason of the end, for people; without secrets
     */
    default void ended(String name, String client, String reason) {}

    /** Returns an audit that writes one line at level INFO for each login and each end of a session. */
    static LoginAudit log() {
        return new LoginLog(LoggerFactory.getLogger(LoginAudit.class)::info);
    }
}
