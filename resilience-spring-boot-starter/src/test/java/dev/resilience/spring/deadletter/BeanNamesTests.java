package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.event.DeadLetterOutcome;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;

/** Which bean a letter names, whatever stands between the bean and its caller. */
class BeanNamesTests {

    /** What a proxy may have in common with the class. */
    interface Sending {

        void send() throws ConnectException;
    }

    static class Sender implements Sending {

        @Override
        @Retryable("kept")
        public void send() throws ConnectException {
            throw new ConnectException("down");
        }
    }

    private static ApplicationContextRunner application() {
        return Applications.plain()
                .withPropertyValues(
                        "resilience.retry.kept.max-attempts=1",
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.dead-letter-store.type=memory");
    }

    private static ApplicationContextRunner senders(String... names) {
        ApplicationContextRunner application = application();
        for (String name : names) {
            application = application.withBean(name, Sender.class);
        }
        return application;
    }

    private static void fail(Object sender) {
        assertThat(catchThrowable(((Sending) sender)::send)).isInstanceOf(ConnectException.class);
    }

    /** The beans that letters name, in the order of the calls. */
    private static List<String> named(ApplicationContext context) {
        return context.getBean(DeadLetterStore.class).list("kept", 10).stream()
                .map(stored -> stored.letter().bean())
                .toList();
    }

    private static long lost(ApplicationContext context) {
        KeepingRetry kept = context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get("kept");
        return kept.letters().calls().get(DeadLetterOutcome.STORE_FAILURE);
    }

    /** As other libraries do it, before this library looks at a bean or after that. */
    private static ApplicationContextRunner wrapped(
            ApplicationContextRunner application, int order, UnaryOperator<Object> wrapper) {
        return application.withBean(Wrapper.class, () -> new Wrapper(order, wrapper));
    }

    private record Wrapper(int order, UnaryOperator<Object> wrapper) implements BeanPostProcessor, Ordered {

        @Override
        public int getOrder() {
            return order;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof Sending ? wrapper.apply(bean) : bean;
        }
    }

    private static Object ofSpring(Object bean) {
        ProxyFactory proxy = new ProxyFactory(bean);
        proxy.setProxyTargetClass(true);
        return proxy.getProxy();
    }

    /** As another library makes them, which do not say what is behind them. */
    private static Object ofOthers(Object bean) {
        return Proxy.newProxyInstance(
                Sending.class.getClassLoader(), new Class<?>[] {Sending.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(bean, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private static RootBeanDefinition refreshed() {
        RootBeanDefinition definition = new RootBeanDefinition(Sender.class);
        definition.setScope("refresh");
        return definition;
    }

    private static void scoped(ConfigurableApplicationContext context, boolean byClass, String... names) {
        context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
        for (String name : names) {
            BeanDefinitionHolder holder =
                    ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(refreshed(), name), registry, byClass);
            registry.registerBeanDefinition(name, holder.getBeanDefinition());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoScopedBeansOfAClassTheOneThatWasCalledIsNamed(boolean byClass) {
        application()
                .withInitializer(context -> scoped(context, byClass, "one", "two"))
                .run(context -> {
                    fail(context.getBean("two"));
                    fail(context.getBean("one"));

                    assertThat(named(context)).containsExactly("two", "one");
                });
    }

    @Test
    void theFormerObjectOfAScopedBeanIsStillThatBean() {
        application()
                .withInitializer(context -> scoped(context, true, "one", "two"))
                .run(context -> {
                    Object former = context.getBean("scopedTarget.one");
                    context.getBeanFactory().destroyScopedBean("scopedTarget.one");
                    fail(context.getBean("one"));

                    fail(former);

                    assertThat(named(context)).containsExactly("one", "one");
                });
    }

    @Test
    void scopedBeansWithoutProxiesAreNamedToo() {
        application()
                .withInitializer(context -> {
                    context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
                    for (String name : List.of("one", "two")) {
                        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition(name, refreshed());
                    }
                })
                .run(context -> {
                    fail(context.getBean("two"));
                    fail(context.getBean("one"));

                    assertThat(named(context)).containsExactly("two", "one");
                });
    }

    @Test
    void beansOfAFactoryAreNamedAfterIt() {
        application()
                .withBean("one", SenderFactory.class)
                .withBean("two", SenderFactory.class)
                .run(context -> {
                    fail(context.getBean("two"));
                    fail(context.getBean("one"));

                    assertThat(named(context)).containsExactly("two", "one");
                });
    }

    static class SenderFactory implements FactoryBean<Sender> {

        @Override
        public Sender getObject() {
            return new Sender();
        }

        @Override
        public Class<?> getObjectType() {
            return Sender.class;
        }
    }

    @Test
    void theNameOfABeanThatOthersHaveWrappedIsKnownFromItsOwnProxy() {
        wrapped(senders("one", "two"), Ordered.HIGHEST_PRECEDENCE, BeanNamesTests::ofSpring)
                .run(context -> {
                    fail(context.getBean("two"));

                    assertThat(named(context)).containsExactly("two");
                });
        wrapped(senders("one", "two"), Ordered.LOWEST_PRECEDENCE, bean -> ofSpring(ofSpring(bean)))
                .run(context -> {
                    fail(context.getBean("two"));

                    assertThat(named(context)).containsExactly("two");
                });
    }

    @Test
    void theOnlyBeanOfAClassIsNamedAlsoWhereAProxyOfOthersHidesIt() {
        wrapped(senders("one"), Ordered.LOWEST_PRECEDENCE, BeanNamesTests::ofOthers)
                .run(context -> {
                    fail(context.getBean("one"));

                    assertThat(named(context)).containsExactly("one");
                });
    }

    @Test
    void theCallOfOneOfTwoHiddenBeansIsLost() {
        wrapped(senders("one", "two"), Ordered.LOWEST_PRECEDENCE, BeanNamesTests::ofOthers)
                .run(context -> {
                    fail(context.getBean("one"));

                    assertThat(named(context)).isEmpty();
                    assertThat(lost(context)).isEqualTo(1);
                });
    }

    /** As of methods that AspectJ weaves. */
    @Test
    void aSingletonWhoseCallsHaveNoProxyOfItsOwnIsFoundByItself() {
        Sender two = new Sender();
        senders("one")
                .withInitializer(context -> context.getBeanFactory().registerSingleton("two", two))
                .run(context -> {
                    ProxyFactory proxy = new ProxyFactory(two);
                    proxy.addAdvisor(context.getBean(ResilienceAdvisor.class));

                    fail(proxy.getProxy());

                    assertThat(named(context)).containsExactly("two");
                });
    }

    @Test
    void anObjectThatIsNoBeanIsTakenForTheOnlyOneOfItsClass() {
        senders("one").run(context -> {
            fail(context.getAutowireCapableBeanFactory().initializeBean(new Sender(), "none"));

            assertThat(named(context)).containsExactly("one");
        });
        senders("one", "two").run(context -> {
            fail(context.getAutowireCapableBeanFactory().initializeBean(new Sender(), "none"));

            assertThat(lost(context)).isEqualTo(1);
        });
    }
}
