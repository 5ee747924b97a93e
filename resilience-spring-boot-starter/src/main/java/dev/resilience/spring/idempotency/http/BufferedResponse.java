package dev.resilience.spring.idempotency.http;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/** A response of which nothing is sent. Knows of the real one only a content type that is set already. */
final class BufferedResponse extends HttpServletResponseWrapper {

    private final HttpHeaders headers = new HttpHeaders();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final PrintWriter writer = new PrintWriter(new OutputStreamWriter(body, charset(null)));
    private @Nullable String encoding;
    private int status;

    BufferedResponse(HttpServletResponse response, int status) {
        super(response);
        this.status = status;
        setContentType(response.getContentType());
    }

    SentAnswer answer() {
        writer.flush();
        return new SentAnswer(status, headers, body.toByteArray());
    }

    private static Charset charset(@Nullable String name) {
        return name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
    }

    @Override
    public void setStatus(int newStatus) {
        status = newStatus;
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void sendError(int newStatus) {
        status = newStatus;
    }

    @Override
    public void sendError(int newStatus, String message) {
        status = newStatus;
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (value == null) {
            headers.remove(name);
        } else if (!name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) { // the container's business
            headers.set(name, value);
        }
    }

    @Override
    public void addHeader(String name, String value) {
        if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE) || name.equalsIgnoreCase(HttpHeaders.CONTENT_LENGTH)) {
            setHeader(name, value);
        } else {
            headers.add(name, value);
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, String.valueOf(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, String.valueOf(value));
    }

    @Override
    public void setDateHeader(String name, long date) {
        headers.setDate(name, date);
    }

    @Override
    public void addDateHeader(String name, long date) {
        headers.setDate(name, date);
    }

    @Override
    public boolean containsHeader(String name) {
        return headers.containsHeader(name);
    }

    @Override
    public @Nullable String getHeader(String name) {
        return headers.getFirst(name);
    }

    @Override
    public Collection<String> getHeaders(String name) {
        return Objects.requireNonNullElse(headers.get(name), List.of());
    }

    @Override
    public Collection<String> getHeaderNames() {
        return headers.headerNames();
    }

    @Override
    public void setContentType(@Nullable String type) {
        setHeader(HttpHeaders.CONTENT_TYPE, type);
    }

    @Override
    public @Nullable String getContentType() {
        return headers.getFirst(HttpHeaders.CONTENT_TYPE);
    }

    @Override
    public void setCharacterEncoding(@Nullable String newEncoding) {
        encoding = newEncoding;
    }

    @Override
    public @Nullable String getCharacterEncoding() {
        MediaType type = headers.getContentType();
        Charset ofType = type == null ? null : type.getCharset();
        return encoding != null || ofType == null ? encoding : ofType.name();
    }

    @Override
    public void setLocale(Locale locale) {
        headers.setContentLanguage(locale);
    }

    @Override
    public void setContentLength(int length) {}

    @Override
    public void setContentLengthLong(long length) {}

    @Override
    public ServletOutputStream getOutputStream() {
        return new ServletOutputStream() {
            @Override
            public void write(int one) {
                body.write(one);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                body.write(bytes, offset, length);
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new IllegalStateException(
                        "The answer is kept before it is sent, so it is not written bit by bit");
            }
        };
    }

    @Override
    public PrintWriter getWriter() {
        return writer;
    }

    @Override
    public void flushBuffer() {}

    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        body.reset();
    }

    @Override
    public void reset() {
        body.reset();
        headers.clear();
    }
}
