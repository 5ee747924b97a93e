package dev.resilience.spring.aop.policy;

import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kinds;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The annotations of all beans as far as their classes are known before the beans are made. Makes no bean. */
public final class PolicyUses {

    private final ConfigurableListableBeanFactory beans;
    private final ProtectedMethods methods;
    private final Kinds kinds;

    public PolicyUses(ConfigurableListableBeanFactory beans, ProtectedMethods methods, Kinds kinds) {
        this.beans = beans;
        this.methods = methods;
        this.kinds = kinds;
    }

    public void collect(AnnotatedPolicies policies, StartupMistakes mistakes) {
        List<PolicyUse<?>> ofBeans = new ArrayList<>();
        List<PolicyUse<?>> ofContracts = new ArrayList<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = type(name);
            if (type != null && (type.isInterface() || !Modifier.isAbstract(type.getModifiers()))) {
                add(type, type.isInterface() ? ofContracts : ofBeans);
            }
        }
        policies.collect(ofBeans, ofContracts, mistakes);
    }

    private @Nullable Class<?> type(String name) {
        Object made = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
        return made == null || made instanceof FactoryBean ? beans.getType(name, false) : AopUtils.getTargetClass(made);
    }

    private void add(Class<?> type, List<PolicyUse<?>> uses) {
        methods.in(type).forEach((method, protection) -> {
            for (ConfiguredKind<?, ?, ?> kind : kinds.configured()) {
                PolicyUse<?> use = PolicyUse.of(kind, protection, method, ProtectedMethods.written(type, method));
                if (use != null) {
                    uses.add(use);
                }
            }
        });
    }
}
