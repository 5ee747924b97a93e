package dev.resilience.sample.gateway;

/** The gateway's port is taken. */
final class GatewayPortInUseException extends RuntimeException {

    private final int port;

    GatewayPortInUseException(int port, Throwable cause) {
        super("Port " + port + " is in use", cause);
        this.port = port;
    }

    int port() {
        return port;
    }
}
