package io.ostraka.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Thrown at the start of the application if its beans or its dependencies are not accepted. */
final class StartRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Creates an exception whose message is the description and the action, separated by a semicolon.
     *
     * @param description the refused setting and the reason, without a full stop
     * @param action how to correct it: an imperative that begins in lower case, without a full stop
     */
    StartRefusedException(String description, String action) {
        this(description, action, null);
    }

    /** Creates an exception with a cause. */
    StartRefusedException(String description, String action, @Nullable Throwable cause) {
        super(description + "; " + action, cause);
        this.description = description;
        this.action = action;
    }

    /** Returns the refused setting and the reason, as a sentence. */
    String description() {
        return sentence(description);
    }

    /** Returns how to correct it, as a sentence. */
    String action() {
        return sentence(action);
    }

    private static String sentence(String text) {
        return StringUtils.capitalize(text) + (text.endsWith(".") ? "" : ".");
    }
}
