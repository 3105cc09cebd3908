package io.ostraka.console;

/** Reads whole numbers in settings, requests and command lines. */
public final class WholeNumber {
    private WholeNumber() {}

    /**
     * Returns a number that is written in the digits 0 to 9. The methods of the JDK also accept a plus sign and the
     * digits of other scripts, so two people could read the same text as different numbers.
     *
     * @throws IllegalArgumentException if the text is not such a number, or is less than {@code least} or greater than
     *     {@code most}
     */
    public static long read(String text, long least, long most) {
        if (text.matches("[0-9]{1,19}")) {
            try {
                long number = Long.parseLong(text);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) { // it is larger than every long
            }
        }
        throw new IllegalArgumentException("the number is '" + text + "'; accepted: " + accepted(least, most));
    }

    /** Returns a description of the accepted numbers, for messages. */
    public static String accepted(long least, long most) {
        return least + " to " + most + ", in the digits 0 to 9 without a sign";
    }
}
