package dev.resilience.spring.actuate;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.webflux.actuate.endpoint.web.AbstractWebFluxEndpointHandlerMapping;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.AbstractDataBufferDecoder;
import org.springframework.core.codec.DecodingException;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.util.MimeType;

/** Lets a request to the endpoint have an object as its {@code policy}, with WebFlux: see {@link ResilienceWebEndpointExtension#parts}. */
public final class PolicyBodyDecoder extends AbstractDataBufferDecoder<Map<String, @Nullable String>> {

    public PolicyBodyDecoder() {
        super(MediaType.APPLICATION_JSON);
    }

    @Override
    public boolean canDecode(ResolvableType type, @Nullable MimeType mime) {
        return super.canDecode(type, mime)
                && type.getSource() instanceof MethodParameter parameter
                && parameter.getDeclaringClass().getEnclosingClass() == AbstractWebFluxEndpointHandlerMapping.class;
    }

    @Override
    public Map<String, @Nullable String> decode(
            DataBuffer buffer, ResolvableType type, @Nullable MimeType mime, @Nullable Map<String, Object> hints) {
        byte[] body = new byte[buffer.readableByteCount()];
        buffer.read(body);
        DataBufferUtils.release(buffer);
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        try {
            ResilienceWebEndpointExtension.parts(body).forEach((name, value) -> texts.put(name, text(name, value)));
        } catch (JsonParseException noObject) {
            throw new DecodingException("The body is no JSON object", noObject);
        }
        return texts;
    }

    private static @Nullable String text(String name, @Nullable Object value) {
        if (value instanceof Map || value instanceof Collection) {
            throw new DecodingException("'" + name + "' must be one value");
        }
        return value == null ? null : value.toString();
    }
}
