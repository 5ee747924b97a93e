package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/** A machine's connections to the database, of which there are few. */
final class SimulatedPool {

    static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final SimulatedDatabase database;
    private final Machine machine;
    private final Weather weather;
    private final int size;
    private final Set<SimulatedConnection> taken = new LinkedHashSet<>();

    SimulatedPool(SimulatedDatabase database, Machine machine, Weather weather, int size) {
        this.database = database;
        this.machine = machine;
        this.weather = weather;
        this.size = size;
    }

    int taken() {
        return taken.size();
    }

    SimulatedConnection take() {
        Baton baton = database.baton();
        baton.await(() -> taken.size() < size, machine.after(TIMEOUT));
        if (taken.size() >= size) {
            weather.disturb();
            baton.trace().task("gets no connection");
            throw new SqlFailure("08001: no connection is to be had");
        }
        SimulatedConnection connection = new SimulatedConnection(database, machine, weather);
        taken.add(connection);
        return connection;
    }

    void giveBack(SimulatedConnection connection) {
        connection.close();
        taken.remove(connection);
    }

    /** The machine has crashed: the server notices sooner or later. */
    void crash() {
        taken.stream().filter(connection -> !connection.isBroken()).forEach(SimulatedConnection::lost);
    }
}
