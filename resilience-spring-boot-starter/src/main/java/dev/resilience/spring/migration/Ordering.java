package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaSource.Element;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the other order of layers means for a method. */
final class Ordering {

    private Ordering() {}

    static void explain(
            Project project,
            String path,
            int line,
            Element element,
            Map<AnnotationUse, String> foreign,
            Map<AnnotationUse, Converted> converted) {
        Map<String, Converted> byName = new LinkedHashMap<>();
        converted.forEach((use, one) -> {
            String name = foreign.getOrDefault(use, "");
            if (name.startsWith(Libraries.RESILIENCE4J)) {
                byName.put(one.annotation, one);
            }
        });
        if (byName.size() < 2) {
            return;
        }
        if (byName.containsKey("Retryable")) {
            project.notes.add(
                    "on methods that are retried and have other annotations of Resilience4j, the retry stood outside of"
                            + " breaker and bulkhead, and stands inside of them here, so that these see a call with its retries as one;"
                            + " resilience.order: [idempotent, retry, circuit-breaker, time-limit, bulkhead] keeps it");
        }
        boolean answeredInside = byName.entrySet().stream()
                .anyMatch(one -> !one.getKey().equals("Retryable") && one.getValue().fallback != null);
        if (byName.containsKey("Retryable") && answeredInside) {
            project.decide(
                    path,
                    line,
                    element.policyName(),
                    "the fallback stood inside of the retry, which saw its answers and retried nothing;"
                            + " here it answers when the retries are over");
        }
    }
}
