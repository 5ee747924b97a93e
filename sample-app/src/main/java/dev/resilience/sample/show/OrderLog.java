package dev.resilience.sample.show;

import dev.resilience.sample.shop.Story;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Remembers what became of the latest orders of all clients, and gives each order to the twin as well. Orders that went
 * the same way within ten seconds are one row.
 */
@Component
class OrderLog extends OncePerRequestFilter {

    private static final int ROWS = 30;
    private static final Duration FOLDED = Duration.ofSeconds(10);

    final Minute minute = new Minute();
    private final List<Row> rows = new ArrayList<>();
    private final UnprotectedTwin twin;

    OrderLog(UnprotectedTwin twin) {
        this.twin = twin;
    }

    /** The newest first. */
    synchronized List<Row> rows() {
        return List.copyOf(rows);
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !(request.getMethod().equals("POST") && request.getRequestURI().equals("/orders"));
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        twin.order();
        minute.add("orders", 1);
        long began = System.nanoTime();
        chain.doFilter(request, response);
        String story = String.join("; ", Story.ofThisRequest().inWords(response.getHeader(HttpHeaders.RETRY_AFTER)));
        String outcome = outcome(response.getStatus(), story);
        minute.end(outcome, began);
        add(outcome, response.getStatus(), story, response.getHeader(HttpHeaders.LOCATION));
    }

    private synchronized void add(String outcome, int status, String story, @Nullable String order) {
        Instant now = Instant.now();
        for (int i = 0; i < rows.size() && rows.get(i).first().isAfter(now.minus(FOLDED)); i++) {
            Row row = rows.get(i);
            if (row.status() == status && withoutTimes(row.story()).equals(withoutTimes(story))) {
                rows.set(i, new Row(outcome, status, story, order, row.first(), now, row.count() + 1));
                return;
            }
        }
        rows.add(0, new Row(outcome, status, story, order, now, now, 1));
        if (rows.size() > ROWS) {
            rows.remove(ROWS);
        }
    }

    private static String withoutTimes(String story) {
        return story.replaceAll("\\d+(\\.\\d+)? s", "… s");
    }

    private static String outcome(int status, String story) {
        return switch (status) {
            case 201 -> story.contains("attempts") ? "retried" : story.contains("from the store") ? "stored" : "paid";
            case 409, 422, 503 -> "refused";
            default -> "failed";
        };
    }

    /**
     * Orders that went the same way.
     *
     * @param story of the latest of them
     * @param order the address of the latest of them, if it was placed
     */
    record Row(
            String outcome,
            int status,
            String story,
            @Nullable String order,
            Instant first,
            Instant last,
            int count) {}
}
