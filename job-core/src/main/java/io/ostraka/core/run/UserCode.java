package io.ostraka.core.run;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The user code that a thread executes on behalf of an engine. If this code closes what has called it, the engine must
 * not wait for the code. Immutable.
 *
 * @param workers the engine's executor for user code, on which the code runs; null if it is unknown
 * @param run run to which the code belongs; null for other code, such as a listener
 */
public record UserCode(@Nullable Executor workers, @Nullable ItemRun run) {
    private static final ThreadLocal<@Nullable UserCode> CURRENT = new ThreadLocal<>();

    /** Returns the user code that the calling thread executes; null if it executes none. */
    public static @Nullable UserCode current() {
        return CURRENT.get();
    }

    /**
     * Records that the calling thread begins to execute code, or continues earlier code.
     *
     * @param code null if the thread executes no user code from now on
     * @return the earlier code. Pass it to this method when the given code has returned
     */
    public static @Nullable UserCode enter(@Nullable UserCode code) {
        UserCode before = CURRENT.get();
        if (code == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(code);
        }
        return before;
    }

    /** Returns code of a run, which the calling thread begins to execute. */
    static UserCode of(ItemRun run) {
        UserCode before = CURRENT.get();
        return new UserCode(before == null ? null : before.workers, run);
    }
}
