package dev.resilience.spring.client;

import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.pipeline.ThrowingSupplier;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.support.HttpRequestWrapper;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;

/**
 * Protects the requests of {@code RestClient} and {@code RestTemplate} by the entries of {@code resilience.http-client}. Spring
 * Boot's builders have it; another client gets this bean by one line:
 *
 * <pre>{@code
 * RestClient.builder().requestInterceptor(resilienceHttpInterceptor)
 * }</pre>
 *
 * <p>Each attempt runs the interceptors behind this one and the exchange anew. It ends with the status and the headers of the
 * answer, and has failed if the status is 400 or more. The body of such an answer is read up to 256 KB, so that no connection
 * is held while the next attempt is waited for. The caller gets the answer of the last attempt, and not an exception, as from
 * any exchange. Safe for use by many threads.
 */
public final class ResilienceHttpInterceptor implements ClientHttpRequestInterceptor {

    private static final int MAX_FAILED_BODY = 1 << 18;

    private final HttpClients clients;

    public ResilienceHttpInterceptor(HttpClients clients) {
        this.clients = clients;
    }

    /**
     * @throws dev.resilience.exception.ResilienceException if a layer refuses the request
     */
    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        HostPattern host = HostPattern.hostOf(request.getURI());
        HttpClient client = host == null ? null : clients.find(host);
        String key = HttpClients.key(
                request.getMethod(), request.getURI(), request.getHeaders(), body, client, CallContext.current());
        return host == null || client == null
                ? execution.execute(attempt(request, key), body)
                : new Attempts(client, request, key, body, execution).within(host);
    }

    /** The request as one attempt sends it, with headers of its own: those behind this interceptor may add to them. */
    private HttpRequest attempt(HttpRequest request, @Nullable String key) {
        HttpHeaders headers = HttpHeaders.copyOf(request.getHeaders());
        clients.addTo(headers, key, CallContext.current());
        return new HttpRequestWrapper(request) {
            @Override
            public HttpHeaders getHeaders() {
                return headers;
            }
        };
    }

    /** The attempts of one logical request, of which one answer at the most is open. */
    private final class Attempts implements ThrowingSupplier<ClientHttpResponse, IOException> {

        private final HttpClient client;
        private final HttpRequest request;
        private final @Nullable String key;
        private final byte[] body;
        private final ClientHttpRequestExecution execution;
        private volatile boolean isKept;
        private volatile int redirects; // before the attempt began
        private int number; // of the attempt that runs; this and the next ones with the lock
        private @Nullable ClientHttpResponse answer;
        private @Nullable RuntimeException failure; // that the answer is

        Attempts(
                HttpClient client,
                HttpRequest request,
                @Nullable String key,
                byte[] body,
                ClientHttpRequestExecution execution) {
            this.client = client;
            this.request = request;
            this.key = key;
            this.body = body;
            this.execution = execution;
            this.isKept = client.policy().staleIfError() != null
                    && StaleAnswers.areFor(request.getMethod(), request.getHeaders());
        }

        ClientHttpResponse within(HostPattern host) throws IOException {
            ClientHttpResponse returned = null;
            try {
                returned = client.pipeline(host).call(this);
            } catch (IOException | RuntimeException | Error failed) {
                returned = answerTo(failed);
                if (returned == null) {
                    throw failed;
                }
            } finally {
                next(returned);
            }
            return returned;
        }

        @Override
        public ClientHttpResponse get() throws IOException {
            int attempt = next(null);
            redirects = clients.redirects.get();
            HttpRequest sent = attempt(request, key);
            Deadline outer = Deadline.current();
            Deadline.makeCurrent(client.deadline(outer));
            ClientHttpResponse open;
            try {
                open = execution.execute(sent, body);
            } finally {
                Deadline.makeCurrent(outer);
                isKept = isKept && StaleAnswers.areFor(sent.getMethod(), sent.getHeaders()); // interceptors add to them
            }
            RuntimeException failed = null;
            try {
                if (open.getStatusCode().isError()) {
                    Answer read = Answer.read(open, MAX_FAILED_BODY);
                    failed = read.failure();
                    open = read;
                } else if (client.staleAnswers.keepsOrForgets(
                        request.getMethod(), request.getURI(), isKept, open.getStatusCode(), open.getHeaders())) {
                    Answer read = Answer.read(open, StaleAnswers.MAX_BODY);
                    client.staleAnswers.keep(
                            request.getURI(), request.getHeaders(), read.getHeaders(), read.bytes(), null);
                    open = read;
                } else if (outer != null) {
                    open = untilDeadline(open);
                }
            } catch (Throwable unreadable) {
                open.close();
                throw unreadable;
            }
            hold(attempt, open, failed);
            if (failed != null) {
                throw failed;
            }
            return open;
        }

        private ClientHttpResponse untilDeadline(ClientHttpResponse open) throws IOException {
            InputStream body = new FilterInputStream(open.getBody()) {
                @Override
                public int read() throws IOException {
                    return client.untilDeadline.call(super::read);
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    return client.untilDeadline.call(() -> in.read(into, from, length));
                }
            };
            return new Answer(open.getStatusCode(), open.getStatusText(), open.getHeaders(), body, new byte[0], open);
        }

        /** Closes what the attempt before has left open, unless the caller gets it. Returns the number of the next one. */
        private synchronized int next(@Nullable ClientHttpResponse returned) {
            if (answer != null && answer != returned) {
                answer.close();
            }
            answer = null;
            failure = null;
            return ++number;
        }

        /** An attempt that has timed out may get its answer while another one runs, or when the caller has gone. */
        private synchronized void hold(int attempt, ClientHttpResponse open, @Nullable RuntimeException failed) {
            if (attempt != number) {
                open.close();
                throw new CancellationException("The answer came after its attempt was given up");
            }
            answer = open;
            failure = failed;
        }

        /** What the caller gets in place of a failure, if it gets an answer. */
        private synchronized @Nullable ClientHttpResponse answerTo(Throwable failed) {
            StaleAnswers.Stale stale =
                    isKept ? clients.stale(client, request.getURI(), request.getHeaders(), failed) : null;
            if (stale != null) {
                InputStream body = new ByteArrayInputStream(stale.body());
                return new Answer(HttpStatus.OK, "OK", stale.headers(), body, stale.body(), null);
            }
            if (failed != failure || answer == null) {
                return null;
            }
            clients.noteIfExhausted(failed, answer.getHeaders());
            return answer;
        }

        @Override
        public boolean mayRepeat(Throwable failed) {
            Throwable ofExchange = failed instanceof IOException ? failed : null; // what clients throw wraps it
            return clients.mayRepeat(request.getMethod(), request.getHeaders(), key, redirects, ofExchange);
        }
    }

    /**
     * An answer whose body, or the first part of it, is in memory. Its components are the interface's methods.
     *
     * @param bytes what is in memory
     * @param rest the open answer, if it has more than these bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(
            HttpStatusCode getStatusCode,
            String getStatusText,
            HttpHeaders getHeaders,
            InputStream getBody,
            byte[] bytes,
            @Nullable ClientHttpResponse rest)
            implements ClientHttpResponse {

        /** Reads a body of so many bytes and closes the answer; one with more stays open, and its first part is at hand twice. */
        static Answer read(ClientHttpResponse open, int limit) throws IOException {
            HttpStatusCode status = open.getStatusCode();
            byte[] bytes = new byte[0];
            try {
                bytes = open.getBody().readNBytes(limit + 1);
            } catch (IOException cut) {
                if (!status.isError()) {
                    throw cut; // the status of an error says enough
                }
            }
            String text = open.getStatusText();
            HttpHeaders headers = HttpHeaders.copyOf(open.getHeaders());
            InputStream read = new ByteArrayInputStream(bytes);
            if (bytes.length > limit) {
                return new Answer(status, text, headers, new SequenceInputStream(read, open.getBody()), bytes, open);
            }
            open.close();
            return new Answer(status, text, headers, read, bytes, null);
        }

        /** What {@code RestClient} would throw. */
        RuntimeException failure() {
            return getStatusCode.is4xxClientError()
                    ? HttpClientErrorException.create(getStatusCode, getStatusText, getHeaders, bytes, null)
                    : HttpServerErrorException.create(getStatusCode, getStatusText, getHeaders, bytes, null);
        }

        @Override
        public void close() {
            if (rest != null) {
                rest.close();
            }
        }
    }
}
