package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;

/** Calls through {@code this}, which no proxy sees, are told at startup; calls through the proxy are not. */
class SelfInvocationTests {

    @Test
    void theWarningNamesBothMethodsWhatIsSkippedAndBothCures() {
        assertThat(Applications.warnings(Shop.class))
                .containsExactly("The method " + Shop.class.getName()
                        + ".place(java.lang.String) is called through 'this' by order(), which skips its @Bulkhead, "
                        + "@Retryable: only calls from outside pass the proxy. Move it to another bean, or give the bean "
                        + "itself ('@Lazy Shop self' or 'ObjectProvider<Shop>') and call self.place(…) [self-invocation] "
                        + "(docs/warnings.md#self-invocation)");
    }

    static Stream<Arguments> selfCalls() {
        return Stream.of(
                arguments(InLambda.class, "order()"),
                arguments(ByMethodReference.class, "order()"),
                arguments(ThroughPrivateHelper.class, "helper()"),
                arguments(InConstructor.class, "its constructor"),
                arguments(WithTernary.class, "order()"),
                arguments(WithManyOperands.class, "order()"),
                arguments(WithSwitch.class, "order()"),
                arguments(WithTry.class, "order()"),
                arguments(Inheriting.class, "order()"),
                arguments(CalledBySuperclass.class, "order()"),
                arguments(OnInterface.class, "order()"),
                arguments(Overloads.class, "place()"),
                arguments(ThroughSharedHelper.class, "helper()"),
                arguments(ThroughHelperOfAnotherProtection.class, "helper()"),
                arguments(ThroughPublicHelper.class, "helper()"),
                arguments(BothAnnotated.class, "order()"),
                arguments(LazyShop.class, "order()"));
    }

    @ParameterizedTest
    @MethodSource("selfCalls")
    void aCallThroughThisIsFound(Class<?> type, String caller) {
        assertThat(Applications.warnings(type))
                .singleElement()
                .asString()
                .contains("is called through 'this' by " + caller + ", which skips");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OnInjectedSelf.class,
                OnProvidedSelf.class,
                OnParameter.class,
                OnOneOfTwo.class,
                OnArrayElement.class,
                OnAnotherMethod.class,
                OverridingWithSuper.class,
                Recursive.class,
                AnnotatedAsAWhole.class,
                OnAnotherOfTheClass.class
            })
    void aCallOnAnotherReferenceIsNot(Class<?> type) {
        assertThat(Applications.warnings(type)).isEmpty();
    }

    @Test
    void severalCallersOfOneMethodAreOneWarning() {
        assertThat(Applications.warnings(TwoCallers.class))
                .singleElement()
                .asString()
                .contains("by again(), order(), which skips");
    }

    static class Shop {

        public String order(String article) {
            return place(article);
        }

        @Bulkhead("default")
        @Retryable("two")
        public String place(String article) {
            return article;
        }
    }

    @Lazy
    static class LazyShop extends Shop {}

    static class Inheriting extends Shop {}

    /** The method that is protected. */
    abstract static class Base {

        @Retryable("two")
        public String place(String article) {
            return article;
        }
    }

    static class InLambda extends Base {

        public Supplier<String> order(String article) {
            return () -> place(article);
        }
    }

    static class ByMethodReference extends Base {

        public Stream<String> order(List<String> articles) {
            return articles.stream().map(this::place);
        }
    }

    static class ThroughPrivateHelper extends Base {

        public String order(String article) {
            return helper(article);
        }

        private String helper(String article) {
            return place(article);
        }
    }

    static class InConstructor extends Base {

        final String first;

        @SuppressWarnings("this-escape") // what is to be found
        InConstructor() {
            first = place("tea");
        }
    }

    static class WithTernary extends Base {

        public String order(String article, boolean double_) {
            return place(double_ ? article + article : article == null ? "" : article);
        }
    }

    static class WithManyOperands extends Base {

        private long count;
        private final long[] counts = new long[2];

        public String order(int number, long sum, double price, Object article) {
            return "" + sum + price
                    + place(String.valueOf(counts[number & 1]++ + count++ + (sum << 2) + (long) price)
                            + (article instanceof String text && text.length() > number
                                    ? text
                                    : new int[2][3][1].length)
                            + Long.compare(sum, (long) (price * 2.0)));
        }
    }

    static class WithSwitch extends Base {

        public String order(int number) {
            return place(
                    switch (number) {
                        case 1 -> "one";
                        case 2 -> "two";
                        default -> "many";
                    });
        }
    }

    static class WithTry extends Base {

        public String order(String article) {
            for (int i = 0; i < 3; i++) {
                try {
                    synchronized (article) {
                        return place(article);
                    }
                } catch (IllegalStateException e) {
                    article.notifyAll();
                } finally {
                    article.notify();
                }
            }
            return article;
        }
    }

    abstract static class Template {

        public String order(String article) {
            return place(article);
        }

        protected abstract String place(String article);
    }

    static class CalledBySuperclass extends Template {

        @Override
        @Retryable("two")
        public String place(String article) {
            return article;
        }
    }

    interface Port {

        @Retryable("two")
        String place(String article);
    }

    static class OnInterface implements Port {

        public String order(String article) {
            return place(article);
        }

        @Override
        public String place(String article) {
            return article;
        }
    }

    static class Overloads extends Base {

        public String place(String article, int times) {
            return place(article.repeat(times));
        }
    }

    static class BothAnnotated extends Base {

        @Bulkhead("default")
        @Retryable("three")
        public String order(String article) {
            return place(article);
        }
    }

    static class TwoCallers extends Base {

        public String order(String article) {
            return place(article);
        }

        public String again(String article) {
            return place(article) + this.place(article);
        }
    }

    static class OnInjectedSelf extends Base {

        @Autowired
        @Lazy
        OnInjectedSelf self;

        public String order(String article) {
            return self.place(article);
        }
    }

    static class OnProvidedSelf extends Base {

        private final ObjectProvider<OnProvidedSelf> self;

        OnProvidedSelf(ObjectProvider<OnProvidedSelf> self) {
            this.self = self;
        }

        public String order(String article) {
            return self.getObject().place(article);
        }

        public Stream<String> all(List<String> articles) {
            return articles.stream().map(self.getObject()::place);
        }
    }

    static class OnParameter extends Base {

        public String order(OnParameter other, String article) {
            return other.place(article);
        }

        public Function<OnParameter, String> later(String article) {
            return other -> other.place(article);
        }
    }

    static class OnOneOfTwo extends Base {

        public String order(OnOneOfTwo other, String article) {
            return (other == null ? this : other).place(article);
        }
    }

    static class OnArrayElement extends Base {

        public String order(OnArrayElement[] others, String article) {
            return others[0].place(article);
        }
    }

    static class OnAnotherMethod extends Base {

        public String order(String article) {
            return describe(article);
        }

        public String describe(String article) {
            return article;
        }
    }

    static class OverridingWithSuper extends Base {

        @Override
        public String place(String article) {
            return super.place(article) + "!";
        }
    }

    static class Recursive {

        @Retryable("two")
        public int count(int from) {
            return from == 0 ? 0 : 1 + count(from - 1);
        }
    }

    @Retryable("two")
    static class AnnotatedAsAWhole {

        public String order(String article) {
            return place(article);
        }

        public String place(String article) {
            return article;
        }
    }

    /** Some of its calls come from a method without annotations. */
    static class ThroughSharedHelper extends Base {

        @Retryable("two")
        public String order(String article) {
            return helper(article);
        }

        public String send(String article) {
            return helper(article);
        }

        private String helper(String article) {
            return place(article);
        }
    }

    static class ThroughHelperOfAnotherProtection extends Base {

        @Retryable("three")
        public String order(String article) {
            return helper(article);
        }

        private String helper(String article) {
            return place(article);
        }
    }

    static class ThroughPublicHelper extends Base {

        @Retryable("two")
        public String order(String article) {
            return helper(article);
        }

        public String helper(String article) {
            return place(article);
        }
    }

    static class OnAnotherOfTheClass extends Base {

        public String order(String article) {
            return new OnAnotherOfTheClass().place(article);
        }
    }
}
