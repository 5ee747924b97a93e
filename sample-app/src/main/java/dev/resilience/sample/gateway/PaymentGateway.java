package dev.resilience.sample.gateway;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The gateway's HTTP server, with a port and threads of its own. */
@Component
public final class PaymentGateway implements AutoCloseable {

    private final BehaviourSwitch behaviour = new BehaviourSwitch();
    private final Ledger ledger = new Ledger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ChargeHandler handler;
    private final InetSocketAddress address;
    private @Nullable HttpServer server;

    /**
     * Starts to listen.
     *
     * @param port 0 for any free port
     */
    PaymentGateway(@Value("${shop.gateway.port}") int port, JsonMapper json) {
        this.handler = new ChargeHandler(behaviour, ledger, json);
        HttpServer started = listen(new InetSocketAddress("localhost", port));
        this.server = started;
        this.address = started.getAddress();
    }

    /** A second one for the unprotected twin, with a ledger of its own. */
    @Bean(defaultCandidate = false)
    static PaymentGateway twinGateway(JsonMapper json) {
        return new PaymentGateway(0, json);
    }

    /** Where to reach the gateway; stays the same while it refuses connections and afterwards. */
    public URI uri() {
        return URI.create("http://localhost:" + address.getPort());
    }

    public Behaviour behaviour() {
        return behaviour.current();
    }

    public Charges charges() {
        return ledger.charges();
    }

    synchronized void behave(Behaviour wanted) {
        behaviour.set(wanted);
        if (wanted.refuse()) {
            stopListening();
        } else if (server == null) {
            server = listen(address);
        }
    }

    void reset() {
        behave(Behaviour.GOOD);
        ledger.clear();
    }

    @Override
    public synchronized void close() {
        stopListening();
        threads.shutdownNow();
    }

    private void stopListening() {
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }

    private HttpServer listen(InetSocketAddress where) {
        try {
            HttpServer created = HttpServer.create(where, 0);
            created.setExecutor(threads);
            created.createContext("/charges", handler);
            created.start();
            return created;
        } catch (IOException e) {
            throw e instanceof BindException
                    ? new GatewayPortInUseException(where.getPort(), e)
                    : new UncheckedIOException("The payment gateway cannot listen at " + where, e);
        }
    }
}
