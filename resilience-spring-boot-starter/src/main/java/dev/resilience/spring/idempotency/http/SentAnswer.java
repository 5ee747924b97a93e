package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.http.HttpAnswerCodec.Answer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.springframework.http.HttpHeaders;

/** An answer as it is sent. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SentAnswer(int status, HttpHeaders headers, byte[] body) {

    /** What is kept of it. */
    Answer<byte[]> kept() {
        return new Answer<>(status, HttpAnswerCodec.kept(headers), body);
    }

    static SentAnswer of(Answer<byte[]> kept) {
        HttpHeaders headers = new HttpHeaders();
        kept.headers().forEach(headers::addAll);
        byte[] body = kept.body();
        return new SentAnswer(kept.status(), headers, body == null ? new byte[0] : body);
    }

    void sendTo(HttpServletResponse response) throws IOException {
        response.setStatus(status);
        headers.forEach((name, values) -> add(response, name, values));
        if (body.length > 0) {
            response.getOutputStream().write(body);
        }
    }

    private static void add(HttpServletResponse response, String name, List<String> values) {
        if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
            response.setContentType(values.get(0));
        } else {
            values.forEach(value -> response.addHeader(name, value));
        }
    }
}
