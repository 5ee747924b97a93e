package dev.resilience.spring.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between a node's pool and the server, and lets happen to each request what the plan says. */
final class FaultyProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final FaultPlan plan;
    private final Set<ProxiedConnection> open = ConcurrentHashMap.newKeySet();

    FaultyProxy(int serverPort, FaultPlan plan) {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        this.plan = plan;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        start("accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                ProxiedConnection connection = new ProxiedConnection(client, new Socket(), plan, open::remove);
                open.add(connection);
                start("requests", () -> connection.run(server));
            } catch (IOException closed) {
                // no one else comes
            }
        }
    }

    static void start(String what, Runnable work) {
        Thread thread = new Thread(work, "chaos-proxy-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        open.forEach(ProxiedConnection::close);
    }
}
