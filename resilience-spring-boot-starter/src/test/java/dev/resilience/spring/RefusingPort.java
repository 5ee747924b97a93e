package dev.resilience.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of the loopback address that refuses connections until this process ends. It stays bound: a free one would soon be that of a
 * server in another process of tests, which would get the requests.
 */
public final class RefusingPort {

    private static final Socket BOUND = bind();

    private RefusingPort() {}

    public static String url() {
        return "http://127.0.0.1:" + BOUND.getLocalPort();
    }

    private static Socket bind() {
        try {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
