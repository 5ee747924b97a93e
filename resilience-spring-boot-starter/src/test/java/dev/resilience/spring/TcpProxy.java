package dev.resilience.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands before a server on loopback: holds back what clients send, or ends a connection in place of an answer. */
public final class TcpProxy implements AutoCloseable {

    private final int server;
    private final ServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean losesAnswer = new AtomicBoolean();
    private final List<Delivery> held = new ArrayList<>();
    private boolean holds;

    public TcpProxy(int server) {
        try {
            this.server = server;
            this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        start(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** The next answer does not arrive, but the end of its connection does. */
    public void loseAnswer() {
        losesAnswer.set(true);
    }

    /** From now on nothing reaches the server. */
    public synchronized void holdRequests() {
        holds = true;
    }

    /** What was held back reaches the server, each connection's in its order. */
    public synchronized void passRequests() {
        holds = false;
        held.forEach(Delivery::make);
        held.clear();
    }

    /** How much has come that waits for {@link #passRequests}. */
    public synchronized int heldBack() {
        return held.size();
    }

    private synchronized void deliver(Delivery request) {
        if (holds) {
            held.add(request);
        } else {
            request.make();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
            open.add(client);
            open.add(behind);
            start(() -> copy(client, behind, true));
            start(() -> copy(behind, client, false));
        }
    }

    private void copy(Socket from, Socket to, boolean requests) throws IOException {
        byte[] bytes = new byte[64 * 1024];
        try (from;
                to) {
            for (int length = from.getInputStream().read(bytes);
                    length > 0;
                    length = from.getInputStream().read(bytes)) {
                Delivery delivery = new Delivery(to, Arrays.copyOf(bytes, length));
                if (requests) {
                    deliver(delivery);
                } else if (losesAnswer.compareAndSet(true, false)) {
                    return;
                } else {
                    delivery.make();
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private static void start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException ended) {
                return; // with one of its sockets
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** Some bytes on their way. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Delivery(Socket to, byte[] bytes) {

        void make() {
            try {
                to.getOutputStream().write(bytes);
            } catch (IOException ended) {
                return; // the connection, before it was delivered
            }
        }
    }

    private interface Task {

        void run() throws IOException;
    }
}
