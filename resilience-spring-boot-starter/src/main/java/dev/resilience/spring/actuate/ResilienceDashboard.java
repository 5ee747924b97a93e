package dev.resilience.spring.actuate;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.properties.PolicyChange;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.MimeType;
import org.springframework.util.StringUtils;

/**
 * A page that shows live what the endpoint {@code resilience} knows, and the data that the page asks for once a second. It
 * changes nothing: what operators do goes to the endpoint {@code resilience}. Safe for use by many threads.
 *
 * @param application the name of the application, for the title
 * @param paths where endpoints are
 * @param access what may be done with endpoints
 */
@WebEndpoint(id = "resiliencedashboard")
public record ResilienceDashboard(
        ResilienceEndpoint endpoint,
        String application,
        Supplier<PathMappedEndpoints> paths,
        Supplier<EndpointAccessResolver> access) {

    private static final EndpointId ID = EndpointId.of("resiliencedashboard");
    private static final EndpointId POLICIES = EndpointId.of("resilience");
    private static final Map<String, MimeType> FILES = Map.of(
            "page.css", MimeType.valueOf("text/css;charset=UTF-8"),
            "page.js", MimeType.valueOf("text/javascript;charset=UTF-8"));

    /** The page. It asks for its other files beside itself, wherever that is. */
    @ReadOperation(produces = "text/html;charset=UTF-8")
    public String page() {
        String path = Objects.requireNonNull(path(ID));
        return file("page.html").replace(ID + "/", path.substring(path.lastIndexOf('/') + 1) + "/");
    }

    /**
     * A file of the page, or its data.
     *
     * @param part {@code data} or the name of a file; others are a 404
     * @param instance the application that the page knows already: another one sends what does not change too
     * @param since the number of the last transition that the page knows
     */
    @ReadOperation
    public WebEndpointResponse<?> part(@Selector String part, @Nullable String instance, @Nullable Long since) {
        if (part.equals("data")) {
            boolean isKnown = endpoint.events.instance.equals(instance) && since != null;
            return new WebEndpointResponse<>(JsonView.guarded(data -> fill(data, isKnown ? since : null)));
        }
        MimeType type = FILES.get(part);
        return type == null ? new WebEndpointResponse<>(404) : new WebEndpointResponse<>(file(part), type);
    }

    private @Nullable String path(EndpointId id) {
        String path = paths.get().getRootPath(id); // one that is mapped may begin with a slash, or not
        return path == null ? null : StringUtils.trimLeadingCharacter(path, '/');
    }

    private static String file(String name) {
        try {
            return new ClassPathResource("dashboard/" + name, ResilienceDashboard.class)
                    .getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    private void fill(Map<String, @Nullable Object> data, @Nullable Long since) {
        Access allowed = access.get().accessFor(POLICIES, Access.UNRESTRICTED);
        if (allowed == Access.NONE) {
            data.put("problem", "management.endpoint.resilience.access is none");
            return;
        }
        data.put("instance", endpoint.events.instance);
        DefaultResilienceRegistry registry = endpoint.registry.get();
        TimeSource time = registry.environment.time();
        data.put("now", Timestamps.text(time.now()));
        data.put("millis", time.nanoTime() / 1_000_000); // which no clock that is set moves
        Map<String, Object> policies = new LinkedHashMap<>();
        for (ConfiguredKind<?, ?, ?> kind : registry.kinds().configured()) {
            policies.put(kind.id(), JsonView.guarded(rows -> fill(rows, kind, registry)));
        }
        policies.put(DeadLetterEntries.KIND, JsonView.guarded(rows -> fill(rows, endpoint.deadLetters.get())));
        data.put("policies", policies);
        data.put("events", endpoint.events.latestAfter(since == null ? 0 : since));
        if (since == null) {
            data.put("application", application);
            data.put("path", path(ID));
            data.put("endpoint", path(POLICIES));
            data.put("writeable", allowed == Access.UNRESTRICTED);
            data.put("warnings", endpoint.warnings.all());
            data.put("kinds", kinds(registry));
        }
    }

    private static Map<String, Object> kinds(DefaultResilienceRegistry registry) {
        Map<String, Object> kinds = new LinkedHashMap<>();
        for (ConfiguredKind<?, ?, ?> kind : registry.kinds().configured()) {
            kinds.put(kind.id(), JsonView.guarded(of -> {
                describe(of, kind.shown(), kind.actions(), kind.actionFields());
                of.put("changeable", PolicyChange.changeable(kind));
            }));
        }
        kinds.put(
                DeadLetterEntries.KIND,
                JsonView.guarded(of -> describe(
                        of, DeadLetterEntries.SHOWN, DeadLetterEntries.ACTIONS, DeadLetterEntries.ACTION_FIELDS)));
        return kinds;
    }

    private static void describe(
            Map<String, @Nullable Object> kind, List<Shown> shown, Object actions, Object actionFields) {
        kind.putAll(Map.of("shown", shown, "actions", actions, "actionFields", actionFields));
    }

    private <L extends LiveObject<?>> void fill(
            Map<String, @Nullable Object> rows, ConfiguredKind<?, ?, L> kind, DefaultResilienceRegistry registry) {
        Map<String, L> all = registry.live().ofKind(kind.id());
        List<Shown> shown = kind.shown();
        all.forEach((name, live) -> rows.put(name, JsonView.guarded(row -> {
            row.put("trouble", endpoint.trouble(kind, name, live));
            row.put("unused", registry.live().usedBy(kind.id(), name).isEmpty() ? true : null);
            row.put("off", registry.live().isEnabled(kind.id(), name) ? null : true);
            row.put("changed", registry.changes().view(live).isEmpty() ? null : true);
            row.put("values", values(kind.state(live), shown));
        })));
    }

    private static void fill(Map<String, @Nullable Object> rows, DeadLetterEntries letters) {
        List<String> trouble = letters.trouble();
        letters.all()
                .forEach((name, entry) -> rows.put(name, JsonView.guarded(row -> {
                    boolean isInTrouble = trouble.contains(DeadLetterEntries.KIND + "/" + name);
                    row.put("trouble", isInTrouble ? "loses calls, or gets no answer from its store" : null);
                    row.put("values", values(at(entry, "state"), DeadLetterEntries.SHOWN));
                })));
    }

    private static @Nullable Object values(@Nullable Object state, List<Shown> shown) {
        if (shown.isEmpty()) {
            return state;
        }
        return shown.stream()
                .map(each -> each.of().isEmpty()
                        ? at(state, each.path())
                        : new Object[] {at(state, each.path()), at(state, each.of())})
                .toArray();
    }

    private static @Nullable Object at(@Nullable Object state, String path) {
        Object found = state;
        for (String key : StringUtils.delimitedListToStringArray(path, ".")) {
            found = found instanceof Map<?, ?> map ? map.get(key) : null;
        }
        return found;
    }
}
