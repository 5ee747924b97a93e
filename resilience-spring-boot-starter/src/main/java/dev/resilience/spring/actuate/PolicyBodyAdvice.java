package dev.resilience.spring.actuate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpStatus;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdviceAdapter;

/** Lets a request to the endpoint have an object as its {@code policy}, with Spring MVC: see {@link ResilienceWebEndpointExtension#readable}. */
@ControllerAdvice
public final class PolicyBodyAdvice extends RequestBodyAdviceAdapter {

    @Override
    public boolean supports(
            MethodParameter parameter, Type target, Class<? extends HttpMessageConverter<?>> converter) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request != null
                && ResilienceWebEndpointExtension.isHandledBy(request.getAttribute(
                        HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST));
    }

    @Override
    public HttpInputMessage beforeBodyRead(
            HttpInputMessage message,
            MethodParameter parameter,
            Type target,
            Class<? extends HttpMessageConverter<?>> converter)
            throws IOException {
        byte[] body = message.getBody().readNBytes(ResilienceWebEndpointExtension.MAX_BODY + 1);
        if (body.length > ResilienceWebEndpointExtension.MAX_BODY) {
            throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, "A body has at most 64 KB");
        }
        return new Body(message.getHeaders(), new ByteArrayInputStream(ResilienceWebEndpointExtension.readable(body)));
    }

    /** A message of these two parts. */
    private record Body(HttpHeaders getHeaders, InputStream getBody) implements HttpInputMessage {}
}
