package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Waits as Spring has them where nothing else is written: one second, each as long as the one before, without jitter. */
final class SpringBackoff {

    private static final long OUR_LONGEST = 30_000;

    private SpringBackoff() {}

    static void complete(Converted converted, Map<String, List<Token>> written, boolean isFramework) throws Undecided {
        Map<String, String> attributes = converted.attributes;
        if (isFramework && !converted.keys.containsKey("max-attempts")) {
            attributes.putIfAbsent("maxAttempts", "4");
        }
        if (!isFramework && "\"0ms\"".equals(attributes.get("delay"))) {
            attributes.remove("delay"); // 0 is unset there
        }
        if (!isFramework && "\"0ms\"".equals(attributes.get("maxDelay"))) {
            attributes.remove("maxDelay"); // as well
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
        boolean isRandom = written.keySet().stream().anyMatch(name -> name.matches("jitter.*|backoff.random.*"));
        if (isRandom || (!isFramework && !grows && maxDelay != null)) {
            converted.decisions.add("its waits were random in another way: backoff.jitter is the policy's here"
                    + " (proportional, with jitter-factor, makes them longer only)");
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

    private static @Nullable Double number(@Nullable String text) {
        return text != null && text.matches("\\d+(\\.\\d+)?[dDfF]?") ? Double.valueOf(text) : null;
    }
}
