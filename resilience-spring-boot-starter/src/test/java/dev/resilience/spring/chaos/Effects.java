package dev.resilience.spring.chaos;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** What bodies write in their transactions. */
interface Effects {

    String TABLE = "chaos_effects";
    List<String> SCHEMA = List.of(
            "DROP TABLE IF EXISTS " + TABLE,
            "DROP TABLE IF EXISTS chaos_shared",
            "CREATE TABLE " + TABLE + " (body BIGINT PRIMARY KEY, name VARCHAR(100) NOT NULL)",
            "CREATE TABLE chaos_shared (id INT PRIMARY KEY, changes BIGINT NOT NULL)",
            "INSERT INTO chaos_shared SELECT i, 0 FROM generate_series(0, 31) AS i");
    String CHANGE = "UPDATE chaos_shared SET changes = changes + 1 WHERE id = ";

    /** Writes the effect of a body, of which a second one would not be noticed by the database. */
    void add(long body, String key);

    /** Changes a row that other bodies change too. */
    void changeShared(int row);

    /** By JDBC. */
    final class OfJdbc implements Effects {

        private final JdbcTemplate jdbc;

        OfJdbc(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        public void add(long body, String key) {
            jdbc.update("INSERT INTO " + TABLE + " (body, name) VALUES (?, ?)", body, key);
        }

        @Override
        public void changeShared(int row) {
            jdbc.update(CHANGE + row);
        }
    }

    /** By JPA, which writes when it likes. */
    final class OfJpa implements Effects {

        @PersistenceContext
        @SuppressWarnings("NullAway.Init") // injected
        private EntityManager entities;

        @Override
        public void add(long body, String key) {
            Row row = new Row();
            row.body = body;
            row.name = key;
            entities.persist(row);
        }

        @Override
        public void changeShared(int row) {
            entities.createNativeQuery(CHANGE + row).executeUpdate();
        }
    }

    /** One effect. */
    @Entity
    @Table(name = TABLE)
    class Row {

        @Id
        long body;

        String name = "";
    }
}
