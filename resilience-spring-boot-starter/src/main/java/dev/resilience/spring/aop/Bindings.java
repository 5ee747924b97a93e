package dev.resilience.spring.aop;

import static dev.resilience.spring.WarningId.BINDING_WITHOUT_METHOD;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.Setting;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.weaver.patterns.IToken;
import org.aspectj.weaver.patterns.ParserException;
import org.aspectj.weaver.patterns.PatternParser;
import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Which methods {@code resilience.bindings} protects, as if their types had annotations that name the policies. An annotation of the
 * same kind, on the method or its type, beats them; of several bindings the first one holds. Safe for use by many threads.
 *
 * <p>A class of Spring, or one outside the packages of the application, is left alone by an expression that does not mention it,
 * such as {@code execution(* *(..))}: proxies of what the application runs on would break it.
 */
public final class Bindings {

    /** What is decided for each bean or each call, while methods are protected class by class, once. */
    private static final Pattern TOO_LATE =
            Pattern.compile("(?:^|[(!&|]|\\b(?:and|or|not)\\b)\\s*(?:bean|@?args)\\s*\\(");

    /** What an expression leaves out, and annotations; with parentheses in it, as those of {@code execution}, three deep. */
    private static final Pattern NOT_MEANT = Pattern.compile(
            "(?:(?:!|\\bnot\\b)\\s*@?\\w*|@\\w+)\\s*(\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))|@[\\w.]+");

    /** The beginning of a package that an expression has to mention. */
    private static final Pattern PACKAGE = Pattern.compile("(?:org\\.springframework|\\w+)\\.\\w+\\.");

    private static final List<Class<?>> INFRASTRUCTURE = List.of(
            AopInfrastructureBean.class, BeanPostProcessor.class, BeanFactoryPostProcessor.class, FactoryBean.class);

    /** In place of what does not parse. */
    private static final String NOTHING = "!within(*..*)";

    private final Collection<Map<String, ConfigurationProperty>> configured;
    private final ConfigurableListableBeanFactory beans;
    private final StartupProblems problems;
    private volatile List<Binding> parsed = List.of();
    private final Set<Binding> used = ConcurrentHashMap.newKeySet();

    /** @param place of the binding that stands for the annotation, in words; empty for one that the type has */
    record Bound(Annotation annotation, String place) {}

    /** @param meant the expression without what it leaves out */
    private record Binding(
            ConfigurationProperty at,
            String meant,
            AspectJExpressionPointcut pointcut,
            Map<ConfiguredKind<?, ?, ?>, ConfigurationProperty> named,
            Map<Class<? extends Annotation>, Bound> bound) {}

    /** @param configured what is configured of each, by keys without dashes */
    public Bindings(
            Collection<Map<String, ConfigurationProperty>> configured,
            ConfigurableListableBeanFactory beans,
            StartupProblems problems) {
        this.configured = configured;
        this.beans = beans;
        this.problems = problems;
    }

    /** Whether one may match methods of a type. The kinds are asked for only if it is no infrastructure, which comes before them. */
    boolean mayProtect(Class<?> type, Supplier<Kinds> kinds) {
        return !configured.isEmpty()
                && !isInfrastructure(type)
                && all(kinds.get()).stream().anyMatch(binding -> mayMatch(binding, type));
    }

    private boolean mayMatch(Binding binding, Class<?> type) {
        return isMeant(binding.meant, type) && (binding.pointcut.matches(type) || binding.pointcut.matches(view(type)));
    }

    private static boolean isInfrastructure(Class<?> type) {
        return type.getName().startsWith("org.springframework.boot.")
                || ProtectedMethods.isOwn(type)
                || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .anyMatch(each ->
                                ProtectedMethods.isOwn(each) || each.getName().startsWith("jakarta.servlet."))
                || Stream.of(Aspect.class, Configuration.class, ConfigurationProperties.class)
                        .anyMatch(each -> AnnotatedElementUtils.hasAnnotation(type, each))
                || INFRASTRUCTURE.stream().anyMatch(each -> each.isAssignableFrom(type));
    }

    /** Whether a type is the application's, or the expression has its name or the beginning of its package. */
    private boolean isMeant(String expression, Class<?> type) {
        String name = type.getName();
        boolean isOfApplication = AutoConfigurationPackages.has(beans)
                ? AutoConfigurationPackages.get(beans).stream().anyMatch(each -> name.startsWith(each + "."))
                : !name.startsWith("org.springframework.") && !name.startsWith("java.");
        Matcher itsPackage = PACKAGE.matcher(name);
        return isOfApplication
                || (!type.isAnonymousClass()
                        && List.of(expression.split("\\W+")).contains(type.getSimpleName()))
                || (itsPackage.lookingAt() && expression.contains(itsPackage.group()));
    }

    /**
     * For an interface a proxy of it, which declares all methods itself, those that the interface inherits too: AspectJ takes
     * {@code execution(* Orders.*(..))} for methods that {@code Orders} declares.
     */
    private static Class<?> view(Class<?> type) {
        return type.isInterface() && !type.isSealed()
                ? ClassUtils.createCompositeInterface(new Class<?>[] {type}, type.getClassLoader())
                : type;
    }

    /** Annotations of a type, and below them what bindings stand for on one of its methods. */
    Map<Class<? extends Annotation>, Bound> below(
            Map<Class<? extends Annotation>, Bound> ofType, Method method, Class<?> type) {
        Map<Class<? extends Annotation>, Bound> all = new HashMap<>(ofType);
        for (Binding binding : parsed) {
            if (mayMatch(binding, type) && binding.pointcut.matches(method, view(type))) {
                used.add(binding);
                binding.bound.forEach(all::putIfAbsent);
            }
        }
        return all;
    }

    /** Reports what is wrong with them, whether methods use them or not. */
    public void check(NamedPolicies policies, Kinds kinds) {
        for (Binding binding : all(kinds)) {
            binding.named.forEach((kind, name) -> {
                String cure = policies.cure(kind, text(name), name.getName().toString());
                if (cure != null) {
                    refuse(name, "names the " + kind.id() + " policy '" + text(name) + "', which does not exist", cure);
                }
            });
        }
    }

    /** Warns of expressions that match nothing, once all beans were looked at. */
    void warnOfIdle(StartupWarnings warnings) {
        for (Binding binding : parsed) {
            if (!used.contains(binding) && problems.isEmpty()) {
                warnings.add(BINDING_WITHOUT_METHOD.of("'" + binding.at.getName() + "' matches no method that can be "
                        + "protected: " + text(binding.at) + ". Correct or remove the binding. To match a bean of a "
                        + "library, name its class or package"));
            }
        }
    }

    private synchronized List<Binding> all(Kinds kinds) {
        if (parsed.isEmpty()) {
            parsed = configured.stream().map(keys -> parse(keys, kinds)).toList();
        }
        return parsed;
    }

    private Binding parse(Map<String, ConfigurationProperty> keys, Kinds kinds) {
        Map<String, ConfigurationProperty> unknown = new LinkedHashMap<>(keys);
        ConfigurationProperty pointcut = unknown.remove("pointcut");
        ConfigurationProperty at = pointcut == null ? keys.values().iterator().next() : pointcut;
        Map<ConfiguredKind<?, ?, ?>, ConfigurationProperty> named = new LinkedHashMap<>();
        Map<Class<? extends Annotation>, Bound> bound = new HashMap<>();
        for (ConfiguredKind<?, ?, ?> kind : kinds.configured()) {
            Class<? extends Annotation> type = kind.annotation();
            if (type != null && type != Idempotent.class) { // which needs a key as well
                ConfigurationProperty name = unknown.remove(kind.id().replace("-", ""));
                if (name != null) {
                    named.put(kind, name);
                    Annotation annotation = MergedAnnotation.of(type, Map.of("value", text(name)))
                            .synthesize();
                    bound.put(type, new Bound(annotation, " by '" + name.getName() + "'"));
                }
            }
        }
        String keysAre = "Correct or remove it: 'pointcut', 'retry', 'circuit-breaker', 'bulkhead' or 'time-limit'.";
        unknown.values().forEach(each -> refuse(each, "is no key of a binding", keysAre));
        if (pointcut == null || bound.isEmpty()) {
            String cure = "Write both, in one source of properties, because Spring Boot takes a list as a whole.";
            refuse(at, "stands without a " + (pointcut == null ? "pointcut" : "policy"), cure);
        }
        String expression = pointcut == null ? NOTHING : text(at);
        return new Binding(at, NOT_MEANT.matcher(expression).replaceAll(""), parse(at, expression), named, bound);
    }

    private String text(ConfigurationProperty property) {
        String text = String.valueOf(property.getValue()).strip();
        return beans.getBean("environment", Environment.class).resolvePlaceholders(text);
    }

    /** The pointcut; one that matches nothing in place of what is refused. */
    private AspectJExpressionPointcut parse(ConfigurationProperty at, String written) {
        String expression =
                written.replace(" and ", "  && ").replace(" or ", " || ").replace(" not ", "  !  ");
        if (TOO_LATE.matcher(expression).find()) {
            String why =
                    "uses bean() or args(), but methods are bound once for each class, whatever the bean or the call";
            refuse(at, why, "Name types and methods, by execution(), within(), target() or annotations.");
            return pointcut(NOTHING);
        }
        String why;
        try {
            PatternParser parser = new PatternParser(expression);
            parser.parsePointcut();
            parser.checkEof(); // which Spring does not ask
            AspectJExpressionPointcut pointcut = pointcut(expression);
            pointcut.getPointcutExpression();
            return pointcut;
        } catch (ParserException invalid) {
            boolean atEnd = invalid.getLocation() == IToken.EOF;
            int position = atEnd ? expression.length() : invalid.getLocation().getStart();
            why = invalid.getMessage() + " at character position " + position + "\n\n    " + written + "\n    "
                    + " ".repeat(position) + "^";
        } catch (RuntimeException invalid) { // also those of AspectJ that have no type of their own
            why = String.valueOf(invalid.getMessage()).strip();
        }
        String cure = "Write an AspectJ expression that Spring AOP supports: execution(* com.example..*Client.*(..)).";
        refuse(at, "is no pointcut: " + why, cure);
        return pointcut(NOTHING);
    }

    private AspectJExpressionPointcut pointcut(String expression) {
        AspectJExpressionPointcut pointcut = new AspectJExpressionPointcut();
        pointcut.setBeanFactory(beans);
        pointcut.setExpression(expression);
        return pointcut;
    }

    private void refuse(ConfigurationProperty at, String what, String cure) {
        String problem = "'" + at.getName() + "' " + what + "\n\n" + Setting.describeProperty(at);
        problems.add(new ResilienceConfigurationException(ProblemKind.VALUES, problem, cure));
    }
}
