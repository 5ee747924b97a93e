package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;

/** Which bean an object is, whatever stands between the two. */
class BeanNamesTests {

    /** What a proxy may have in common with the class. */
    interface Sending {

        void send();
    }

    static class Sender implements Sending {

        @Override
        public void send() {}
    }

    private final GenericApplicationContext context = new GenericApplicationContext();
    private final BeanNames names = new BeanNames(Sender.class, context.getBeanFactory());
    private final Map<String, Object> targets = new HashMap<>();
    private final Map<String, UnaryOperator<Object>> wrappers = new HashMap<>();

    @AfterEach
    void close() {
        context.close();
    }

    private void start(String... singletons) {
        for (String name : singletons) {
            context.registerBeanDefinition(name, new RootBeanDefinition(Sender.class));
        }
        context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                targets.put(name, bean);
                return wrappers.getOrDefault(name, same -> same).apply(bean);
            }
        });
        context.refresh();
    }

    private static Object ofSpring(Object bean) {
        return new ProxyFactory(bean).getProxy();
    }

    /** As another library makes them, which do not say what is behind them. */
    private static Object ofOthers(Object bean) {
        return Proxy.newProxyInstance(
                Sending.class.getClassLoader(),
                new Class<?>[] {Sending.class},
                (proxy, method, arguments) -> method.invoke(bean, arguments));
    }

    private void scoped(String name, boolean byClass) {
        RootBeanDefinition definition = new RootBeanDefinition(Sender.class);
        definition.setScope("refresh");
        BeanDefinitionHolder holder =
                ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(definition, name), context, byClass);
        context.registerBeanDefinition(name, holder.getBeanDefinition());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoScopedBeansOfAClassTheOneThatWasCalledIsKnown(boolean byClass) {
        context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
        scoped("one", byClass);
        scoped("two", byClass);
        start();
        for (String name : new String[] {"one", "two"}) {
            context.getBean(name, Sending.class).send();
        }

        assertThat(names.of(targets.get("scopedTarget.one"))).isEqualTo("one");
        assertThat(names.of(targets.get("scopedTarget.two"))).isEqualTo("two");
    }

    @Test
    void scopedBeansWithoutProxiesAreKnownToo() {
        context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
        for (String name : new String[] {"one", "two"}) {
            RootBeanDefinition definition = new RootBeanDefinition(Sender.class);
            definition.setScope("refresh");
            context.registerBeanDefinition(name, definition);
        }
        start();
        context.getBean("one");
        context.getBean("two");

        assertThat(names.of(targets.get("one"))).isEqualTo("one");
        assertThat(names.of(targets.get("two"))).isEqualTo("two");
    }

    @Test
    void theFormerObjectOfTheOnlyScopedBeanIsStillThatBean() {
        context.getBeanFactory().registerScope("refresh", new SimpleThreadScope());
        scoped("one", true);
        start();
        context.getBean("one", Sending.class).send();

        assertThat(names.of(new Sender())).isEqualTo("one");
        assertThat(names.have("one")).isTrue();
    }

    @Test
    void aBeanBehindAProxyOfAnotherLibraryIsKnown() {
        wrappers.put("one", bean -> ofOthers(ofSpring(bean)));
        start("one");

        assertThat(names.of(targets.get("one"))).isEqualTo("one");
    }

    @Test
    void whichOfTwoHiddenBeansItIsNothingTells() {
        wrappers.put("one", BeanNamesTests::ofOthers);
        wrappers.put("two", BeanNamesTests::ofOthers);
        start("one", "two");

        assertThatThrownBy(() -> names.of(targets.get("one")))
                .hasMessageContaining("nothing tells which bean")
                .hasMessageContaining("[one, two]");
    }

    @Test
    void anObjectThatIsNoBeanIsTakenForTheOnlyOneOfItsClassAndForNoneOfTwo() {
        wrappers.put("one", bean -> ofSpring(ofSpring(bean)));
        start("one");

        assertThat(names.of(targets.get("one"))).isEqualTo("one");
        assertThat(names.of(new Sender())).isEqualTo("one");
        context.registerBeanDefinition("two", new RootBeanDefinition(Sender.class));
        context.getBean("two");
        assertThatThrownBy(() -> names.of(new Sender())).hasMessageContaining("nothing tells which bean");
    }

    @Test
    void aBeanIsKnownWhileItIsMadeAndWhileItIsDestroyed() {
        List<String> found = new ArrayList<>();
        context.getBeanFactory().addBeanPostProcessor(new DestructionAwareBeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                found.add("made: " + names.of(bean));
                return bean;
            }

            @Override
            public void postProcessBeforeDestruction(Object bean, String name) {
                found.add("destroyed: " + names.of(bean));
            }
        });
        start("one");
        context.close();

        assertThat(found).containsExactly("made: one", "destroyed: one");
    }
}
