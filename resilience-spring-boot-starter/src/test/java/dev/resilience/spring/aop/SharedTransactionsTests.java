package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.StartupWarnings;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.NameMatchTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A retry inside a transaction, by whatever order of advice, repeats in vain what is rolled back at its end. */
class SharedTransactionsTests {

    private static final Pattern CURE = Pattern.compile("'(resilience\\.advice-order): (-?\\d+)'");

    private static ApplicationContextRunner runner(Class<?>... components) {
        return Applications.plain(components).withBean(CountedTransactions.class);
    }

    private static List<String> warnings(ApplicationContextRunner runner) {
        List<String> warnings = new ArrayList<>();
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    private static int transactionsOfThreeAttempts(ApplicationContextRunner runner) {
        List<String> begun = new ArrayList<>();
        runner.run(context -> {
            context.getBean(Callee.class).failNext(2);
            assertThat(context.getBean(Shop.class).order()).isEqualTo("answer 3");
            begun.addAll(context.getBean(CountedTransactions.class).begun);
        });
        return begun.size();
    }

    @ParameterizedTest
    @CsvSource({
        "dev.resilience.spring.aop.SharedTransactionsTests$AtZero, 0",
        "dev.resilience.spring.aop.SharedTransactionsTests$AdvisorOfItsOwn, -7",
        "dev.resilience.spring.aop.SharedTransactionsTests$Beside, 2147483547"
    })
    void areWarnedOfWithBothOrdersAndALineThatMendsIt(Class<?> transactions, int order) {
        ApplicationContextRunner runner = runner(transactions, Shop.class);
        assertThat(transactionsOfThreeAttempts(runner)).isEqualTo(1);

        List<String> warnings = warnings(runner);

        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(
                        Shop.class.getName() + ".order()",
                        "@Retryable (order 2147483547)",
                        "transaction (order " + order + ")",
                        "one transaction");
        Matcher cure = CURE.matcher(warnings.get(0));
        assertThat(cure.find()).isTrue();
        ApplicationContextRunner mended = runner.withPropertyValues(cure.group(1) + "=" + cure.group(2));
        assertThat(warnings(mended)).isEmpty();
        assertThat(transactionsOfThreeAttempts(mended)).isEqualTo(3);
    }

    @Test
    void areWarnedOfWhereThisLibrarysOrderIsToBlame() {
        assertThat(warnings(runner(Usual.class, Shop.class)
                        .withPropertyValues("resilience.advice-order=" + Ordered.LOWEST_PRECEDENCE)))
                .singleElement()
                .asString()
                .contains("@Retryable (order 2147483647)", "'resilience.advice-order: 2147483646'");
    }

    @Test
    void areWarnedOfWhereNoOrderIsFurtherOut() {
        assertThat(warnings(runner(Outermost.class, Shop.class)))
                .singleElement()
                .asString()
                .contains("transaction (order -2147483648)", "without an order")
                .doesNotContain("resilience.advice-order:");
    }

    @Test
    void areWarnedOfWhereAProxyOfItsOwnStandsAround() {
        assertThat(warnings(runner(ProxyAround.class)))
                .filteredOn(warning -> !warning.contains("[retry-inside-retry]")) // both proxies retry
                .singleElement()
                .asString()
                .contains(
                        Plain.class.getName() + ".order()",
                        "one transaction",
                        "a proxy of its own",
                        "[retry-in-transaction]")
                .doesNotContain("resilience.advice-order:");
    }

    @ParameterizedTest
    @ValueSource(classes = {LateShop.class, Prototypes.class})
    void areWarnedOfWhenABeanIsMadeLater(Class<?> component) {
        runner(AtZero.class, component).run(context -> {
            StartupWarnings warnings = context.getBean(StartupWarnings.class);
            assertThat(warnings.all()).isEmpty();

            assertThat(((ApplicationContext) context).getBean(Shop.class)).isNotNull();

            assertThat(warnings.all()).singleElement().asString().contains(Shop.class.getName() + ".order()");
        });
    }

    @Test
    void areWarnedOfForInterfaceProxies() {
        assertThat(warnings(runner(AtZero.class, PortOfShop.class)
                        .withPropertyValues("spring.aop.proxy-target-class=false")))
                .singleElement()
                .asString()
                .contains(PortOfShop.class.getName() + ".order()");
    }

    @Test
    void cachesAroundARetryAreWarnedOf() {
        assertThat(warnings(runner(CacheAtZero.class, CachedShop.class)))
                .singleElement()
                .asString()
                .contains(
                        CachedShop.class.getName() + ".look()",
                        "@Retryable (order 2147483547)",
                        "cache look-up (order 0)",
                        "'resilience.advice-order: -1'");
    }

    @Test
    void oneLineMendsSeveral() {
        assertThat(warnings(runner(CacheAtZero.class, AdvisorOfItsOwn.class, CachedShop.class)))
                .singleElement()
                .asString()
                .contains("cache look-up (order 0)", "transaction (order -7)", "'resilience.advice-order: -8'");
    }

    @ParameterizedTest
    @ValueSource(classes = {Usual.class, FurtherIn.class, OfOthers.class, Asynchronous.class})
    void areNotWarnedOfWhereEachAttemptHasItsOwn(Class<?> order) {
        assertThat(warnings(runner(order, Shop.class))).isEmpty();
    }

    @Test
    void areWarnedOfOnlyWhereTheMethodCanBeginATransaction() {
        assertThat(warnings(runner(AtZero.class, EveryPropagation.class)))
                .extracting(warning -> warning.replaceFirst("(?s).*EveryPropagation\\.(\\w+)\\(.*", "$1"))
                .containsExactlyInAnyOrder("required", "requiresNew", "nested");
    }

    @Test
    void methodsThatAreNotRepeatedAreNotWarnedOf() {
        assertThat(warnings(runner(AtZero.class, Calm.class))).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class AtZero {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
    static class Outermost {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 100)
    static class Beside {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 50)
    static class FurtherIn {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Usual {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableAsync
    static class Asynchronous {}

    /** As {@code <tx:advice>} makes it. */
    @Configuration(proxyBeanMethods = false)
    static class AdvisorOfItsOwn {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor transactions(PlatformTransactionManager manager) {
            Properties attributes = new Properties();
            attributes.setProperty("*", "PROPAGATION_REQUIRED");
            NameMatchTransactionAttributeSource source = new NameMatchTransactionAttributeSource();
            source.setProperties(attributes);
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedNames("order", "look");
            pointcut.setClassFilter(type -> type.getSimpleName().contains("Shop"));
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    pointcut, new TransactionInterceptor((TransactionManager) manager, source));
            advisor.setOrder(-7);
            return advisor;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class OfOthers {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor tracing() {
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(Retryable.class),
                    (MethodInterceptor) invocation -> invocation.proceed());
            advisor.setOrder(0);
            return advisor;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(order = 0)
    static class CacheAtZero {

        @Bean
        ConcurrentMapCacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxyAround {

        @Bean
        Plain plain() {
            return new Plain();
        }

        @Bean
        static TransactionInterceptor transactions(PlatformTransactionManager manager) {
            return new TransactionInterceptor(
                    (TransactionManager) manager, new MatchAlwaysTransactionAttributeSource());
        }

        @Bean
        static ProxyFactoryBean around() {
            ProxyFactoryBean factory = new ProxyFactoryBean();
            factory.setProxyTargetClass(true);
            factory.setInterceptorNames("transactions");
            factory.setTargetName("plain");
            return factory;
        }

        @Bean
        String caller(BeanFactory beans) {
            return beans.getBean("around", Plain.class).order();
        }
    }

    static class Plain {

        @Retryable("three")
        public String order() {
            return "";
        }
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Transactional(noRollbackFor = ConnectException.class)
        @Retryable("three")
        public String order() throws ConnectException {
            return callee.call();
        }

        @Retryable("three")
        public String browse() {
            return "";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LateShop {

        @Bean
        @Lazy
        Shop shop() {
            return new Shop();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prototypes {

        @Bean
        @Scope("prototype")
        Shop shop() {
            return new Shop();
        }
    }

    interface Port {

        String order();
    }

    static class PortOfShop implements Port {

        @Override
        @Transactional
        @Retryable("three")
        public String order() {
            return "";
        }
    }

    static class CachedShop {

        @Cacheable("goods")
        @Retryable("three")
        public String look() {
            return "";
        }
    }

    static class EveryPropagation {

        @Transactional
        @Retryable("three")
        public void required() {}

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @Retryable("three")
        public void requiresNew() {}

        @Transactional(propagation = Propagation.NESTED)
        @Retryable("three")
        public void nested() {}

        @Transactional(propagation = Propagation.SUPPORTS)
        @Retryable("three")
        public void supports() {}

        @Transactional(propagation = Propagation.MANDATORY)
        @Retryable("three")
        public void mandatory() {}

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @Retryable("three")
        public void notSupported() {}

        @Transactional(propagation = Propagation.NEVER)
        @Retryable("three")
        public void never() {}
    }

    static class Calm {

        @Transactional
        @Bulkhead("default")
        public void order() {}

        @Retryable("three")
        public void look() {}
    }

    static final class CountedTransactions extends AbstractPlatformTransactionManager {

        private final transient List<String> begun = new ArrayList<>();

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.add(String.valueOf(definition.getName()));
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
