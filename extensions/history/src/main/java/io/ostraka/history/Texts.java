package io.ostraka.history;

import io.ostraka.history.Redactor.Kind;
import io.ostraka.history.row.AuditEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes texts through the application's redactor, and limits their length. Thread-safe. */
final class Texts {
    /** Largest length of a text in a row, in characters. */
    static final int LONGEST = 2_000;

    private static final int SHORT = 255;

    private static final Logger log = LoggerFactory.getLogger(Texts.class);
    private static final String WITHHELD = "(not stored, because the redactor failed)";

    private final Redactor redactor;
    private boolean failed;

    Texts(Redactor redactor) {
        this.redactor = redactor;
    }

    @Nullable String error(@Nullable String job, @Nullable String text) {
        return text == null ? null : redacted(job, Kind.ERROR, "", text);
    }

    /** Returns an error that was read from ZooKeeper, or a text with such errors. */
    @Nullable String storedError(@Nullable String job, @Nullable String text) {
        return text == null ? null : error(job, withoutCutWords(text));
    }

    /**
     * Removes the last word of each error that the engine has cut to store it in ZooKeeper. The word may be the beginning
     * of a secret, which the redactor would not recognise.
     */
    private static String withoutCutWords(String text) {
        StringBuilder kept = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '…') {
                int word = kept.length();
                while (word > 0 && !Character.isWhitespace(kept.charAt(word - 1))) {
                    word--;
                }
                kept.setLength(word);
            }
            kept.append(text.charAt(i));
        }
        return kept.toString();
    }

    /** Returns the value to store. The table shortens values that do not fit into its row. */
    String parameter(String job, String name, String value) {
        return redacted(job, Kind.PARAMETER, name, value, value.length());
    }

    String reason(@Nullable String job, String text) {
        return redacted(job, Kind.REASON, "", text);
    }

    AuditEntry redacted(@Nullable String job, AuditEntry entry) {
        return new AuditEntry(
                entry.at(),
                bounded(entry.requestId(), SHORT),
                bounded(entry.actor(), SHORT),
                bounded(entry.origin(), SHORT),
                bounded(entry.role(), SHORT),
                bounded(entry.operation(), SHORT),
                bounded(entry.target(), SHORT),
                reason(job, entry.reason()),
                bounded(entry.detail(), LONGEST),
                entry.outcome() == null ? null : bounded(outcome(job, entry.outcome()), LONGEST));
    }

    /** Redacts an outcome, which may quote the reason of another command. Keeps its first word, such as APPLIED. */
    private String outcome(@Nullable String job, String outcome) {
        int end = outcome.indexOf(": ");
        int text = end < 0 ? 0 : end + 2;
        return outcome.substring(0, text) + reason(job, withoutCutWords(outcome.substring(text)));
    }

    /** Returns the beginning of a text, without characters that a database may refuse. */
    static String bounded(String text, int longest) {
        int end = Math.min(text.length(), longest);
        if (end > 0 && end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end).replace('\0', ' ');
    }

    private String redacted(@Nullable String job, Kind kind, String name, String text) {
        return redacted(job, kind, name, text, LONGEST);
    }

    private synchronized String redacted(@Nullable String job, Kind kind, String name, String text, int longest) {
        try {
            return bounded(redactor.redact(job, kind, name, text), Math.max(longest, LONGEST));
        } catch (Throwable e) { // from the application's redactor
            if (!failed) {
                failed = true;
                log.error("the redactor of the history failed; texts that it refuses are not stored", e);
            }
            return WITHHELD;
        }
    }
}
