package dev.resilience.sample.shop;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** Tells an order's story with a problem too, the starter's problems included: as the extension member "story". */
@ControllerAdvice
class StoryInProblems implements ResponseBodyAdvice<Object> {

    @Override
    public boolean supports(MethodParameter method, Class<? extends HttpMessageConverter<?>> converter) {
        return true;
    }

    @Override
    public @Nullable Object beforeBodyWrite(
            @Nullable Object body,
            MethodParameter method,
            MediaType type,
            Class<? extends HttpMessageConverter<?>> converter,
            ServerHttpRequest request,
            ServerHttpResponse response) {
        if (body instanceof ProblemDetail problem) {
            String retryAfter = response.getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
            List<String> story = Story.ofThisRequest().inWords(retryAfter);
            if (!story.isEmpty()) {
                problem.setProperty("story", story);
            }
        }
        return body;
    }
}
