package dev.resilience.spring.docs;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What pages and the converter write and this tree does not have yet. When a feature is merged its line goes; when all are
 * there, this class and its uses go.
 */
public final class PendingFeatures {

    private static final List<Pattern> PENDING = List.of(
            // attributes of annotations
            Pattern.compile("\\b(maxAttempts|maxDelay|retryOn|doNotRetryOn|retryUnknown|failureThreshold|openDuration"
                    + "|maxConcurrent|maxQueue|multiplier|timeout|ttl|enabled|required) = "),
            // keys of retries
            Pattern.compile("\\b(retry-unknown|retry-if|linear|function|fail-when-exhausted)\\b"),
            // keys of breakers
            Pattern.compile("\\b(record-on-result|metrics-only)\\b|half-open[:.][^\"]*max-duration"),
            // fallbacks of other beans, with fewer arguments or the exception first
            Pattern.compile("@Fallback\\(\"\\w+::"),
            // the registry's front door
            Pattern.compile("registry\\.pipeline\\("));

    private PendingFeatures() {}

    /** Whether a snippet needs a feature that is not there yet. */
    public static boolean areIn(String snippet) {
        return PENDING.stream().anyMatch(feature -> feature.matcher(snippet).find());
    }
}
