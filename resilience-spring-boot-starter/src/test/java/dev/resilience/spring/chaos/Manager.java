package dev.resilience.spring.chaos;

import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Spring's transaction managers, each of which tells of a lost commit in its own way. */
enum Manager {
    DATA_SOURCE(Plain.class),
    JDBC(Translating.class),
    JPA(Persistence.class);

    private final Class<?> configuration;

    Manager(Class<?> configuration) {
        this.configuration = configuration;
    }

    Class<?> configuration() {
        return configuration;
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {

        @Bean
        DataSourceTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        Effects effects(DataSource dataSource) {
            return new Effects.OfJdbc(new JdbcTemplate(dataSource));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Translating {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Effects effects(DataSource dataSource) {
            return new Effects.OfJdbc(new JdbcTemplate(dataSource));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Persistence {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPersistenceUnitName("chaos");
            factory.setManagedTypes(PersistenceManagedTypes.of(Effects.Row.class.getName()));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager() {
            return new JpaTransactionManager();
        }

        @Bean
        Effects effects() {
            return new Effects.OfJpa();
        }
    }
}
