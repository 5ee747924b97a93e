package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Waits as Spring has them where nothing else is written: one second, each as long as the one before, without jitter. */
final class SpringBackoff {

    private static final long OUR_LONGEST = 30_000;

    private SpringBackoff() {}

    static void complete(Converted converted, Map<String, List<Token>> written, boolean isFramework, String unit)
            throws Undecided {
        Map<String, String> attributes = converted.attributes;
        if (isFramework && !converted.keys.containsKey("max-attempts")) {
            attributes.putIfAbsent("maxAttempts", "4");
        }
        if (!isFramework && "\"0ms\"".equals(attributes.get("delay"))) {
            attributes.remove("delay"); // 0 is unset there
        }
        boolean grows = converted.keys.containsKey("backoff.multiplier")
                || !"0".equals(attributes.getOrDefault("multiplier", "0").replaceAll("\\.0?[dDfF]?$", ""));
        String multiplier = attributes.getOrDefault("multiplier", "");
        if (grows && multiplier.matches("0?\\.\\d+[dDfF]?")) {
            throw new Undecided("multiplier is less than 1, and here no wait is shorter than the one before");
        }
        if (!grows) {
            attributes.put("multiplier", "1");
        }
        String maxDelay = attributes.get("maxDelay");
        if (!isFramework && !grows && maxDelay != null) {
            random(converted, maxDelay);
        } else {
            jitter(converted, written, isFramework, grows, unit);
        }
        Long delay = Expressions.millis(attributes.getOrDefault("delay", "\"1s\""));
        Long longest = Expressions.millis(maxDelay);
        if (maxDelay == null && delay != null && delay > OUR_LONGEST) {
            attributes.put("maxDelay", attributes.getOrDefault("delay", ""));
        } else if (delay != null && longest != null && longest < delay) {
            attributes.put("maxDelay", attributes.getOrDefault("delay", "\"1s\""));
        } else if (isFramework && maxDelay == null && grows && canExceed(attributes, delay)) {
            converted.decisions.add("no wait is longer than 30s, where there was no limit (maxDelay)");
        }
    }

    private static boolean canExceed(Map<String, String> attributes, @Nullable Long delay) {
        Double attempts = number(attributes.get("maxAttempts"));
        Double multiplier = number(attributes.get("multiplier"));
        return attempts == null
                || multiplier == null
                || delay == null
                || delay * Math.pow(multiplier, attempts - 2) > OUR_LONGEST;
    }

    /** Without a multiplier Spring Retry waits for any time between the two. */
    private static void random(Converted converted, String maxDelay) {
        Long from = Expressions.millis(converted.attributes.getOrDefault("delay", "\"1s\""));
        Long to = Expressions.millis(maxDelay);
        if (from != null && to != null && from > 0 && to > from) {
            proportional(converted, (double) (to - from) / from);
        } else {
            converted.decisions.add(
                    "waits were random between delay and maxDelay; here they grow by the policy's jitter");
        }
    }

    private static void jitter(
            Converted converted, Map<String, List<Token>> written, boolean isFramework, boolean grows, String unit) {
        List<Token> jitter = written.getOrDefault("jitter", written.get("jitterString"));
        List<Token> random = written.getOrDefault("backoff.random", written.get("backoff.randomExpression"));
        if (isFramework && jitter != null) {
            Long most = Expressions.millis(Expressions.duration(jitter, unit));
            Long delay = Expressions.millis(converted.attributes.getOrDefault("delay", "\"1s\""));
            if (most == null || delay == null || delay == 0) {
                converted.decisions.add("jitter is the policy's: full, between 0 and the delay");
            } else {
                proportional(converted, (double) most / delay);
            }
        } else if (!isFramework && random != null && grows) {
            Double factor = number(converted.attributes.get("multiplier"));
            if (random.get(0).is("true") && factor != null) {
                proportional(converted, factor - 1);
            } else if (!random.get(0).is("false")) {
                converted.decisions.add("random was decided by an expression; here jitter is the policy's");
            }
        }
    }

    private static @Nullable Double number(@Nullable String text) {
        return text != null && text.matches("\\d+(\\.\\d+)?[dDfF]?") ? Double.valueOf(text) : null;
    }

    private static void proportional(Converted converted, double factor) {
        converted.keys.put("backoff.jitter", "proportional");
        converted.keys.put("backoff.jitter-factor", String.valueOf(Math.min(1, Math.round(factor * 100) / 100.0)));
        if (factor > 1) {
            converted.decisions.add("waits were up to " + (Math.round(factor * 100) / 100.0 + 1)
                    + " times the delay; here at most twice (jitter-factor 1)");
        }
    }
}
