package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.GenericBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;

/** A key is unique within a class that has a name, and within a bean whose class has none. */
class BeansOfOneInterfaceTests {

    /** All that are made here are of one lambda expression, and so of one class. */
    private static Gateway lambda(String region) {
        return key -> region;
    }

    private static Gateway proxy(String region) {
        return (Gateway) Proxy.newProxyInstance(
                Gateway.class.getClassLoader(),
                new Class<?>[] {Gateway.class},
                (proxy, method, arguments) ->
                        method.getName().equals("pay") ? region : method.invoke(region, arguments));
    }

    @Test
    void lambdasHaveKeysOfTheirOwn() {
        IdempotentApplication.runner()
                .withBean("us", Gateway.class, () -> lambda("us"))
                .withBean("eu", Gateway.class, () -> lambda("eu"))
                .run(BeansOfOneInterfaceTests::haveKeysOfTheirOwn);
    }

    @Test
    void interfaceProxiesHaveKeysOfTheirOwn() {
        IdempotentApplication.runner()
                .withBean("us", Gateway.class, () -> proxy("us"))
                .withBean("eu", Gateway.class, () -> proxy("eu"))
                .run(BeansOfOneInterfaceTests::haveKeysOfTheirOwn);
    }

    private static void haveKeysOfTheirOwn(AssertableApplicationContext context) {
        assertThat(pay(context, "us")).isEqualTo("us");
        assertThat(pay(context, "eu")).isEqualTo("eu");
        assertThat(operations(context))
                .hasSize(2)
                .allMatch(name -> name.endsWith("Gateway.pay(java.lang.String)@us")
                        || name.endsWith("Gateway.pay(java.lang.String)@eu"));
    }

    @Test
    void everyObjectOfABeanSharesItsKeys() {
        IdempotentApplication.runner()
                .withInitializer(context -> ((GenericApplicationContext) context)
                        .registerBean("us", Gateway.class, () -> lambda("one"), prototype()))
                .run(context -> {
                    assertThat(pay(context, "us")).isEqualTo("one");
                    assertThat(pay(context, "us")).isEqualTo("one");
                    assertThat(operations(context)).singleElement().asString().endsWith("@us");
                });
    }

    private static BeanDefinitionCustomizer prototype() {
        return definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
    }

    @Test
    void aScopedBeanKeepsItsName() {
        IdempotentApplication.runner()
                .withInitializer(context -> {
                    context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
                    RootBeanDefinition definition = new RootBeanDefinition(Gateway.class, () -> lambda("us"));
                    definition.setScope("thread");
                    BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context;
                    BeanDefinitionHolder proxy = ScopedProxyUtils.createScopedProxy(
                            new BeanDefinitionHolder(definition, "us"), registry, false);
                    registry.registerBeanDefinition("us", proxy.getBeanDefinition());
                })
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(pay(context, "us")).isEqualTo("us");
                    assertThat(operations(context)).singleElement().asString().endsWith("@us");
                });
    }

    @Test
    void anInnerBeanHasNoNameToTellItByAndIsRefused() {
        IdempotentApplication.runner()
                .withInitializer(context -> {
                    GenericBeanDefinition outer = new GenericBeanDefinition();
                    outer.setBeanClass(Holder.class);
                    outer.getConstructorArgumentValues()
                            .addGenericArgumentValue(new RootBeanDefinition(Gateway.class, () -> lambda("us")));
                    ((BeanDefinitionRegistry) context).registerBeanDefinition("outer", outer);
                })
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Gateway.pay(java.lang.String)")
                        .hasMessageContaining("no bean with a name of its own"));
    }

    @Test
    void aClassTellsItsBeanAndAsManyAsThereAreAreWarnedOf() {
        IdempotentApplication.runner()
                .withBean("us", HttpGateway.class, () -> new HttpGateway("us"))
                .withBean("eu", HttpGateway.class, () -> new HttpGateway("eu"))
                .run(context -> {
                    assertThat(pay(context, "us")).isEqualTo("us");
                    assertThat(pay(context, "eu")).isEqualTo("us");
                    assertThat(operations(context))
                            .containsExactly(HttpGateway.class.getName() + ".pay(java.lang.String)");
                    assertThat(context.getBean(StartupWarnings.class).all())
                            .singleElement()
                            .asString()
                            .contains(HttpGateway.class.getName(), "'eu', 'us'", "key", "[shared-keys]");
                });
    }

    @Test
    void oneBeanOfAClassIsNoWarning() {
        IdempotentApplication.runner()
                .withBean("us", HttpGateway.class, () -> new HttpGateway("us"))
                .run(context ->
                        assertThat(context.getBean(StartupWarnings.class).all()).isEmpty());
    }

    private static String pay(AssertableApplicationContext context, String bean) {
        return context.getBean(bean, Gateway.class).pay("k");
    }

    private static List<String> operations(AssertableApplicationContext context) {
        Idempotency idempotency =
                context.getBean(ResilienceRegistry.class).idempotencies().get("default");
        return new ArrayList<>(idempotency.operations());
    }

    interface Gateway {

        @Idempotent(key = "#p0")
        String pay(String key);
    }

    record Holder(Gateway gateway) {}

    static class HttpGateway implements Gateway {

        private final String region;

        HttpGateway(String region) {
            this.region = region;
        }

        @Override
        public String pay(String key) {
            return region;
        }
    }
}
