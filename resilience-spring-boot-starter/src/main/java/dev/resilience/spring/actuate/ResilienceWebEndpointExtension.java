package dev.resilience.spring.actuate;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Answers with 404 over HTTP where there is nothing to act on. */
@EndpointWebExtension(endpoint = ResilienceEndpoint.class)
public class ResilienceWebEndpointExtension {

    private final ResilienceEndpoint endpoint;

    public ResilienceWebEndpointExtension(ResilienceEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @WriteOperation
    public WebEndpointResponse<@Nullable Map<String, Object>> act(
            @Selector String kind,
            @Selector String name,
            String action,
            @Nullable String key,
            @Nullable String method,
            @Nullable String caller,
            @Nullable String as) {
        Map<String, Object> entry = endpoint.act(kind, name, action, key, method, caller, as);
        return new WebEndpointResponse<>(
                entry, entry == null ? WebEndpointResponse.STATUS_NOT_FOUND : WebEndpointResponse.STATUS_OK);
    }
}
