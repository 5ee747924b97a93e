package dev.resilience.spring.idempotency.http;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.ProtectedCall;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the idempotency key from a header of the current request. The value is a string of structured fields, so quoted (RFC 9651, as
 * draft-ietf-httpapi-idempotency-key-header asks); a bare one is taken as it is, and both are the same key.
 */
public final class KeyHeader implements Requests.KeySource {

    private static final Logger log = LoggerFactory.getLogger(KeyHeader.class);
    private static final LogLine UNKNOWN = LogLine.warn("idempotency_key_unknown");

    private final String name;
    private final boolean required;
    private final String method;
    private final Requests requests;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    /**
     * @param required whether a call without the header is refused
     * @param method whose calls have the key, for messages
     */
    public KeyHeader(String name, boolean required, String method, Requests requests) {
        this.name = name;
        this.required = required;
        this.method = method;
        this.requests = requests;
    }

    @Override
    public @Nullable Object headersAtAssembly() {
        try {
            return requests.header(name, null);
        } catch (RuntimeException over) { // the thread has kept a request that is no more
            return null;
        }
    }

    @Override
    public @Nullable String key(Invocation invocation) {
        List<?> values = requests.header(name, invocation);
        if (values == null
                && invocation instanceof ProtectedCall subscribed
                && subscribed.headersAtAssembly() instanceof List<?> ofAssembly) {
            values = ofAssembly;
        }
        if (values == null) {
            warnOnce();
            return missing(
                    "The call has no idempotency key: it does not come from a request that could have a header ");
        }
        if (values.isEmpty()) {
            return missing("The request has no header ");
        }
        if (values.size() > 1) {
            throw new IdempotencyKeyInvalidException("The request has more than one header " + name);
        }
        return unquoted(String.valueOf(values.get(0)).strip());
    }

    /** The caller may have sent a key and rely on it. */
    private void warnOnce() {
        if (!required && hasWarned.compareAndSet(false, true)) {
            UNKNOWN.in(log)
                    .addKeyValue("method", method)
                    .log(
                            "The @Idempotent method {} was called where no request is known, and ran without protection: "
                                    + "its key is in the header {}. If the call belongs to a request, make it on the request's "
                                    + "thread, or subscribe in the request's chain; or take the key from an argument. Logged once",
                            method,
                            name);
        }
    }

    private @Nullable String missing(String why) {
        if (required) {
            throw new IdempotencyKeyMissingException(why + name);
        }
        return null;
    }

    private String unquoted(String value) {
        if (!value.startsWith("\"")) {
            if (value.indexOf(',') >= 0) { // how proxies make one line of two headers
                throw new IdempotencyKeyInvalidException("The header " + name
                        + " has a comma, as two headers in one line have; a key with a comma is to be quoted");
            }
            return value;
        }
        int last = value.length() - 1;
        boolean closed = last > 0 && value.charAt(last) == '"';
        StringBuilder key = new StringBuilder();
        for (int i = 1; i < last; i++) {
            char sign = value.charAt(i);
            if (sign == '\\') {
                i++;
                sign = value.charAt(i);
                closed &= i < last && (sign == '"' || sign == '\\');
            } else {
                closed &= sign != '"';
            }
            key.append(sign);
        }
        if (!closed) {
            throw new IdempotencyKeyInvalidException(
                    "The header " + name + " begins with a quotation mark but is not one quoted string");
        }
        return key.toString();
    }
}
