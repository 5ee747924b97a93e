package dev.resilience.spring.idempotency.http;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A header of the current request. The value is a string of structured fields, so quoted (RFC 9651, as
 * draft-ietf-httpapi-idempotency-key-header asks); a bare one is taken as it is, and both are the same key.
 */
public final class KeyHeader implements KeySource {

    private final String name;
    private final boolean required;

    /** @param required whether a call without the header is refused */
    public KeyHeader(String name, boolean required) {
        this.name = name;
        this.required = required;
    }

    @Override
    public @Nullable String key(Invocation invocation) {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return missing(
                    "The call has no idempotency key: it does not come from a request that could have a header ");
        }
        HttpServletRequest request = attributes.getRequest();
        List<String> values = Collections.list(request.getHeaders(name));
        if (values.isEmpty()) {
            return missing("The request has no header ");
        }
        if (values.size() > 1) {
            throw new IdempotencyKeyInvalidException("The request has more than one header " + name);
        }
        return unquoted(values.get(0).strip());
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
                        + " has a comma, as two headers in one line have; a key with a comma is to be " + "quoted");
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
