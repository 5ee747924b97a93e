package dev.resilience.spring.kind;

/**
 * One value that the dashboard shows of each live object of a kind: where it is, and in which form it is drawn. The page
 * knows forms and no kinds, so a kind of one's own appears on it without a line of script.
 *
 * @param label in a word or two, such as {@code failure rate}
 * @param path where the value is in {@link ConfiguredKind#state}: keys with dots between. A live object that has none there
 *     shows nothing
 * @param as the form
 * @param of the path of the second value, for the forms that need one; empty for the others
 */
public record Shown(String label, String path, As as, String of) {

    public Shown(String label, String path, As as) {
        this(label, path, as, "");
    }

    /** The forms. All but texts and times are drawn as a line over the last minutes too. */
    public enum As {
        /** One word, such as {@code OPEN}. */
        STATE,
        /** A text of up to a few sentences, such as the last failure. Shown while there is trouble, and in the details. */
        TEXT,
        /** A number that rises and falls. */
        AMOUNT,
        /** A number from 0 to 1, shown in percent. */
        SHARE,
        /** A number of at most {@code of}. */
        LEVEL,
        /**
         * What has been counted since the start, a number or one for each outcome: shown by the second. Of outcomes the first
         * is the usual one, and the others together have a line of their own.
         */
        RATE,
        /** How much of what is counted at {@code of} is counted here too, in the last minutes and in percent. */
        RATIO,
        /** A moment in the past, in ISO-8601. */
        SINCE,
        /** A moment that is counted down to, in ISO-8601. */
        UNTIL
    }
}
