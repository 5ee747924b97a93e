package dev.resilience;

import dev.resilience.fallback.FallbackReport;
import dev.resilience.time.TimeSource;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reports of fallbacks by their pipelines' names. Kept only as long as a pipeline has them, because programs that make
 * a pipeline for each key may name each of them differently.
 */
final class FallbackReports {

    private final TimeSource time;
    private final Map<String, Named> byName = new HashMap<>();
    private final ReferenceQueue<FallbackReport> dropped = new ReferenceQueue<>();

    FallbackReports(TimeSource time) {
        this.time = time;
    }

    synchronized FallbackReport get(String name) {
        while (dropped.poll() instanceof Named gone) {
            byName.remove(gone.name, gone);
        }
        Named known = byName.get(name);
        FallbackReport report = known == null ? null : known.get();
        if (report == null) {
            report = new FallbackReport(name, time);
            byName.put(name, new Named(name, report, dropped));
        }
        return report;
    }

    synchronized void close() {
        for (Named named : byName.values()) {
            @Nullable FallbackReport report = named.get();
            if (report != null) {
                report.close();
            }
        }
    }

    private static final class Named extends WeakReference<FallbackReport> {

        private final String name;

        Named(String name, FallbackReport report, ReferenceQueue<FallbackReport> dropped) {
            super(report, dropped);
            this.name = name;
        }
    }
}
