package dev.resilience.spring.chaos;

import dev.resilience.spring.chaos.Fate.Told;
import dev.resilience.spring.chaos.Fate.When;
import dev.resilience.spring.chaos.FaultPlan.Step;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * One connection through the proxy. The driver sends a statement at once and waits for its answer, and the server answers
 * when the statement is executed: what is read at once from the client is a request, the next that the server says is its
 * answer.
 */
final class ProxiedConnection {

    private static final int BUFFER = 1 << 16;

    private final Socket client;
    private final Socket server;
    private final FaultPlan plan;
    private final Consumer<ProxiedConnection> onEnd;
    private final AtomicReference<Step> ofAnswer = new AtomicReference<>(Step.SERVED);
    private boolean isIntroduced;
    private volatile boolean isLost;

    ProxiedConnection(Socket client, Socket server, FaultPlan plan, Consumer<ProxiedConnection> onEnd) {
        this.client = client;
        this.server = server;
        this.plan = plan;
        this.onEnd = onEnd;
    }

    void run(InetSocketAddress at) {
        try {
            client.setTcpNoDelay(true);
            server.connect(at);
            server.setTcpNoDelay(true);
            FaultyProxy.start("answers", this::answers);
            requests();
        } catch (IOException broken) {
            // the other side is told below
        }
        if (!isLost) {
            close();
        }
    }

    private void requests() throws IOException {
        InputStream from = client.getInputStream();
        byte[] buffer = new byte[BUFFER];
        for (int length = from.read(buffer); length >= 0 && !isLost; length = from.read(buffer)) {
            Step step = isIntroduced ? plan.next(isCommit(buffer, length)) : Step.SERVED;
            isIntroduced = true;
            if (step.fate().when() == When.BEFORE) {
                if (step.fate().isLoss()) {
                    lose(step);
                    return;
                }
                plan.pause(step.pause());
            }
            ofAnswer.set(step.fate().when() == When.AFTER ? step : Step.SERVED);
            if (step.fate().when() == When.MEANWHILE) {
                isLost = true;
            }
            server.getOutputStream().write(buffer, 0, length);
            if (step.fate().when() == When.MEANWHILE) {
                lose(step);
                return;
            }
        }
    }

    private static boolean isCommit(byte[] request, int length) {
        return new String(request, 0, length, StandardCharsets.ISO_8859_1).contains("COMMIT");
    }

    private void answers() {
        try {
            InputStream from = server.getInputStream();
            byte[] buffer = new byte[BUFFER];
            for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
                if (isLost) {
                    continue;
                }
                Step step = ofAnswer.getAndSet(Step.SERVED);
                if (step.fate().isLoss()) {
                    lose(step);
                    return;
                }
                if (step.fate() == Fate.LATE_ANSWER) {
                    plan.pause(step.pause());
                }
                client.getOutputStream().write(buffer, 0, length);
            }
        } catch (IOException broken) {
            // the other side is told below
        }
        if (!isLost) {
            close();
        }
    }

    /** One side hears of it at once, the other one later. */
    private void lose(Step step) {
        isLost = true;
        if (step.fate().told() != Told.SERVER) {
            reset(client);
        }
        if (step.fate().told() != Told.CLIENT) {
            reset(server);
        }
        if (step.fate().told() != Told.BOTH) {
            plan.pause(step.pause());
        }
        close();
    }

    void close() {
        reset(client);
        reset(server);
        onEnd.accept(this);
    }

    /** Without a farewell, and without what was not sent yet. */
    private static void reset(Socket socket) {
        try {
            if (!socket.isClosed()) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (IOException gone) {
            // as is wanted
        }
    }
}
