package dev.resilience.spring.properties.store;

import org.springframework.util.unit.DataSize;

/** What is written under {@code resilience.dead-letter-store}. */
public final class DeadLetterStoreProperties {

    /** Where calls that ran out of retries are kept. */
    private Type type = Type.AUTO;

    private final Memory memory = new Memory();

    private final Jdbc jdbc = new Jdbc();

    public Type getType() {
        return type;
    }

    public void setType(Type type) {
        this.type = type;
    }

    public Memory getMemory() {
        return memory;
    }

    public Jdbc getJdbc() {
        return jdbc;
    }

    /** The kinds of stores. */
    public enum Type {
        /** In a relational database if the application has one, or else in this process. */
        AUTO,
        /** In this process. */
        MEMORY,
        /** In a relational database. */
        JDBC
    }

    /** What is written under {@code resilience.dead-letter-store.memory}. */
    public static final class Memory {

        /** How much dead letters in this process hold at the most, about. When it is taken, no more are kept. */
        private DataSize maxSize = DataSize.ofMegabytes(64);

        public DataSize getMaxSize() {
            return maxSize;
        }

        public void setMaxSize(DataSize maxSize) {
            this.maxSize = maxSize;
        }
    }

    /** What is written under {@code resilience.dead-letter-store.jdbc}. */
    public static final class Jdbc extends JdbcTable {

        public Jdbc() {
            super("resilience_dead_letter");
        }
    }
}
