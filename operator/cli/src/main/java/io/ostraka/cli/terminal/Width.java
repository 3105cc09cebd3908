package io.ostraka.cli.terminal;

/** Counts the columns that a text takes on a terminal. */
final class Width {
    private Width() {}

    static int of(String text) {
        return text.codePoints().map(Width::of).sum();
    }

    private static int of(int each) {
        if (Character.getType(each) == Character.NON_SPACING_MARK) {
            return 0;
        }
        return Character.isIdeographic(each)
                        || (each >= 0x1100 && each <= 0x115f) // Hangul
                        || (each >= 0x3000 && each <= 0x30ff) // Japanese, and punctuation of Chinese
                        || (each >= 0xac00 && each <= 0xd7a3)
                        || (each >= 0xff01 && each <= 0xff60)
                        || (each >= 0x1f300 && each <= 0x1faff)
                ? 2
                : 1;
    }

    /** Returns the text, cut to a width. An ellipsis marks the cut. */
    static String cut(String text, int width) {
        if (of(text) <= width) {
            return text;
        }
        StringBuilder cut = new StringBuilder();
        int taken = 1;
        for (int each : text.codePoints().toArray()) {
            taken += of(each);
            if (taken > width) {
                break;
            }
            cut.appendCodePoint(each);
        }
        return cut.append('…').toString();
    }
}
