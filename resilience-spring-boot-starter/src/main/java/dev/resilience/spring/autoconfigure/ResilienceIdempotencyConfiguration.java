package dev.resilience.spring.autoconfigure;

import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.spring.idempotency.SecurityCallerScope;
import dev.resilience.spring.idempotency.http.MvcAnswers;
import dev.resilience.spring.idempotency.http.ReactiveAnswers;
import dev.resilience.spring.idempotency.http.SentAnswers;
import dev.resilience.spring.idempotency.json.JacksonJson;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.store.IdempotencyStoreProperties;
import dev.resilience.spring.properties.unknown.PolicyNames;
import dev.resilience.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.web.context.reactive.ReactiveWebApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** What idempotent methods need of the application, where it brings nothing of its own. */
@Configuration(proxyBeanMethods = false)
final class ResilienceIdempotencyConfiguration {

    private static final String REACTIVE_FILTERS = "org.springframework.security.web.server.WebFilterChainProxy";

    @Bean
    @ConditionalOnMissingBean
    IdempotencyStore resilienceIdempotencyStore(
            CheckedProperties resilienceCheckedProperties,
            TimeSource time,
            PolicyNames resiliencePolicyNames,
            Kinds resilienceKinds) {
        IdempotencyStoreProperties properties =
                resilienceCheckedProperties.written().idempotencyStore();
        IdempotencyStoreProperties.Type type = properties.type();
        long maxBytes = properties.memory().maxSize().toBytes();
        boolean canBe = resilienceCheckedProperties.require(
                        type != IdempotencyStoreProperties.Type.REDIS,
                        "resilience.idempotency-store.type",
                        type,
                        "needs a RedisConnectionFactory bean, a single or a primary one; "
                                + "'org.springframework.boot:spring-boot-starter-data-redis' brings it")
                && resilienceCheckedProperties.require(
                        type != IdempotencyStoreProperties.Type.JDBC,
                        "resilience.idempotency-store.type",
                        type,
                        "needs a DataSource bean, a single or a primary one; "
                                + "'org.springframework.boot:spring-boot-starter-jdbc' brings it")
                && resilienceCheckedProperties.require(
                        maxBytes > 0,
                        "resilience.idempotency-store.memory.max-size",
                        properties.memory().maxSize(),
                        "must be more than 0");
        if (!canBe) {
            resiliencePolicyNames.breaks(resilienceKinds.get(IdempotencyKind.class));
        }
        return new MemoryIdempotencyStore(time, maxBytes);
    }

    @Bean
    IdempotentMethods resilienceIdempotentMethods(
            CheckedProperties resilienceCheckedProperties,
            ObjectProvider<Json> json,
            ObjectProvider<CallerScope> callerScope,
            ObjectProvider<SentAnswers> sentAnswers,
            IdempotencyStore store,
            ApplicationContext application,
            StartupMistakes resilienceStartupMistakes,
            StartupWarnings resilienceStartupWarnings) {
        boolean reactive = application instanceof ReactiveWebApplicationContext;
        boolean fallenBack = store instanceof MemoryIdempotencyStore
                && resilienceCheckedProperties.written().idempotencyStore().type()
                        == IdempotencyStoreProperties.Type.AUTO;
        boolean hidesCallers = reactive
                && ClassUtils.isPresent(
                        "org.springframework.security.core.context.SecurityContextHolder",
                        application.getClassLoader());
        return new IdempotentMethods(
                json.getIfAvailable(),
                callerScope.getIfAvailable(),
                sentAnswers.getIfAvailable(),
                reactive,
                hidesCallers ? new SecurityCallerScope(looksForCallers(application)) : null,
                () -> {
                    if (!resilienceStartupMistakes.isEmpty()) {
                        return; // the application does not start: nothing is to be made for it
                    }
                    store.prepare();
                    if (fallenBack) {
                        resilienceStartupWarnings.add(
                                "Idempotent calls are remembered in this process only: a restart forgets them, and a second "
                                        + "instance does not know them. Say so with 'resilience.idempotency-store.type: memory', or "
                                        + "give the application a database or an IdempotencyStore bean");
                    }
                });
    }

    /** Whether Spring Security's filters are there, of its servlet or its reactive stack. */
    private static boolean looksForCallers(ApplicationContext application) {
        ClassLoader loader = application.getClassLoader();
        return application.containsBean("springSecurityFilterChain")
                || (ClassUtils.isPresent(REACTIVE_FILTERS, loader)
                        && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                                                application,
                                                ClassUtils.resolveClassName(REACTIVE_FILTERS, loader),
                                                true,
                                                false)
                                        .length
                                > 0);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    static class JacksonConfiguration {

        @Bean
        @ConditionalOnMissingBean(Json.class)
        JacksonJson resilienceJson(ObjectProvider<JsonMapper> mapper) {
            return new JacksonJson(() -> mapper.getIfAvailable(JsonMapper::new));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    @Conditional(NotReactive.class)
    static class SecurityConfiguration {

        @Bean
        @ConditionalOnMissingBean(CallerScope.class)
        SecurityCallerScope resilienceCallerScope(ApplicationContext application) {
            return new SecurityCallerScope(looksForCallers(application));
        }
    }

    /** In applications of other kinds too, whose controllers are called by tests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HttpServletRequest.class, RequestMappingHandlerAdapter.class})
    @Conditional(NotReactive.class)
    static class MvcConfiguration {

        @Bean
        static MvcAnswers resilienceMvcAnswers() {
            return new MvcAnswers();
        }

        @Bean
        MappedInterceptor resilienceMvcAnswersInterceptor() {
            return new MappedInterceptor(null, MvcAnswers.interceptor());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({HandlerResultHandler.class, Mono.class})
    static class WebFluxConfiguration {

        @Bean
        static ReactiveAnswers resilienceReactiveAnswers(ObjectProvider<HandlerResultHandler> handlers) {
            return new ReactiveAnswers(handlers);
        }
    }

    /** In a reactive web application the caller is not bound to a thread that could be asked. */
    static final class NotReactive extends NoneNestedConditions {

        NotReactive() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        static final class Reactive {}
    }
}
