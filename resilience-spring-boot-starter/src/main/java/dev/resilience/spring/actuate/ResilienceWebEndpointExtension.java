package dev.resilience.spring.actuate;

import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** Answers over HTTP with a status and a body that tells what there is, where a request is for what does not exist. */
@EndpointWebExtension(endpoint = ResilienceEndpoint.class)
public class ResilienceWebEndpointExtension {

    private final ResilienceEndpoint endpoint;

    public ResilienceWebEndpointExtension(ResilienceEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> policies(@Selector String kind) {
        return answer(() -> endpoint.policies(kind));
    }

    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> policy(@Selector String kind, @Selector String name) {
        return answer(() -> endpoint.policy(kind, name));
    }

    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> act(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String policy,
            @Nullable String key,
            @Nullable String method,
            @Nullable String caller,
            @Nullable String as,
            @Nullable String id) {
        return answer(() -> endpoint.act(kind, name, action, policy, key, method, caller, as, id));
    }

    private static WebEndpointResponse<Map<String, Object>> answer(Supplier<Map<String, Object>> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (InvalidEndpointRequestException refused) {
            return EndpointRefusal.answerTo(refused);
        }
    }
}
