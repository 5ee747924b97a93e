package dev.resilience.spring.fallback;

import dev.resilience.annotation.Fallback;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** Beans whose one protected method names a fallback that cannot work. */
@SuppressWarnings("UnusedMethod") // called by name
final class RefusedFallbacks {

    private RefusedFallbacks() {}

    /** What the startup says of each. */
    static Map<Class<?>, String> messages() {
        return Map.ofEntries(
                Map.entry(NotTheFirst.class, "NotTheFirst.later(int), which takes other parameters"),
                Map.entry(OtherOrder.class, "OtherOrder.later(int, String), which takes other parameters"),
                Map.entry(OneMore.class, "OneMore.later(String, int, int), which takes other parameters"),
                Map.entry(TwoFailures.class, "later(Exception, String, Exception), which takes other parameters"),
                Map.entry(FailureBetween.class, "later(String, Exception, int), which takes other parameters"),
                Map.entry(BoxedParameter.class, "later(Integer), which takes other parameters"),
                Map.entry(WiderParameter.class, "later(CharSequence), which takes other parameters"),
                Map.entry(NarrowerWildcard.class, "later(List), which takes other parameters"),
                Map.entry(OtherElements.class, "later(List), which takes other parameters"),
                Map.entry(ElementsForAny.class, "later(List), which takes other parameters"),
                Map.entry(OtherValues.class, "later(Map), which takes other parameters"),
                Map.entry(OtherValuesOfAnyKey.class, "later(Map), which takes other parameters"),
                Map.entry(OtherNestedElements.class, "later(List), which takes other parameters"),
                Map.entry(OtherTypeBelow.class, "OtherTypeBelow.later(Object), which takes other parameters"),
                Map.entry(OtherListBelow.class, "OtherListBelow.later(Object), which takes other parameters"),
                Map.entry(GenericNoFailure.class, "later(String, Object), which takes other parameters"),
                Map.entry(OtherResult.class, "Integer OtherResult.later(), which returns java.lang.Integer"),
                Map.entry(WiderResult.class, "which returns java.lang.Object"),
                Map.entry(WiderNumber.class, "which returns long"),
                Map.entry(OtherResultElements.class, "which returns java.util.List<java.lang.Integer>"),
                Map.entry(AnyResultElements.class, "which returns java.util.List<?>"),
                Map.entry(GeneralRawResult.class, "which returns java.util.Collection<?>"),
                Map.entry(VoidForObject.class, "which returns void"),
                Map.entry(ResultForVoid.class, "which returns java.lang.String"),
                Map.entry(OtherFuture.class, "CompletableFuture<java.lang.Integer>"),
                Map.entry(ValueForFuture.class, "which returns java.lang.String"),
                Map.entry(FutureForValue.class, "which returns java.util.concurrent.CompletableFuture"),
                Map.entry(Itself.class, "does not exist in " + Itself.class.getName()),
                Map.entry(
                        Unclear.class, "names two methods, neither of which is the closer one: String Unclear.later("),
                Map.entry(CheckedException.class, "throws java.io.IOException, which "),
                Map.entry(WiderException.class, "throws java.io.IOException, which "),
                Map.entry(
                        TwoCheckedExceptions.class,
                        "throws java.io.IOException, java.util.concurrent.TimeoutException,"),
                Map.entry(CheckedExceptionOfChosen.class, "later(java.lang.String) throws java.io.IOException, which "),
                Map.entry(GenericException.class, "throws java.io.IOException, which "));
    }

    static class NotTheFirst {

        @Fallback("later")
        public String sell(String what, int howMany) {
            return what;
        }

        String later(int howMany) {
            return "";
        }
    }

    static class OtherOrder {

        @Fallback("later")
        public String sell(String what, int howMany) {
            return what;
        }

        String later(int howMany, String what) {
            return what;
        }
    }

    static class OneMore {

        @Fallback("later")
        public String sell(String what, int howMany) {
            return what;
        }

        String later(String what, int howMany, int more) {
            return what;
        }
    }

    static class TwoFailures {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        String later(Exception one, String what, Exception two) {
            return what;
        }
    }

    static class FailureBetween {

        @Fallback("later")
        public String sell(String what, int howMany) {
            return what;
        }

        String later(String what, Exception failure, int howMany) {
            return what;
        }
    }

    static class BoxedParameter {

        @Fallback("later")
        public String sell(int howMany) {
            return "";
        }

        String later(Integer howMany) {
            return "";
        }
    }

    static class WiderParameter {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        String later(CharSequence what) {
            return "";
        }
    }

    static class NarrowerWildcard {

        @Fallback("later")
        public String sell(List<? extends Number> all) {
            return "";
        }

        String later(List<? extends Integer> all) {
            return "";
        }
    }

    static class OtherElements {

        @Fallback("later")
        public String sell(List<String> all) {
            return "";
        }

        String later(List<Integer> all) {
            return "";
        }
    }

    static class ElementsForAny {

        @Fallback("later")
        public String sell(List<?> all) {
            return "";
        }

        String later(List<String> all) {
            return "";
        }
    }

    static class OtherValues {

        @Fallback("later")
        public String sell(Map<String, String> all) {
            return "";
        }

        String later(Map<String, Integer> all) {
            return "";
        }
    }

    static class OtherValuesOfAnyKey {

        @Fallback("later")
        public String sell(Map<String, String> all) {
            return "";
        }

        String later(Map<?, Integer> all) {
            return "";
        }
    }

    static class OtherNestedElements {

        @Fallback("later")
        public String sell(List<List<String>> all) {
            return "";
        }

        String later(List<List<Integer>> all) {
            return "";
        }
    }

    static class Desk<T> {

        String later(T what) {
            return "";
        }
    }

    static class OtherTypeBelow extends Desk<Integer> {

        @Fallback("later")
        public String sell(Long what) {
            return "";
        }
    }

    static class OtherListBelow extends Desk<List<Integer>> {

        @Fallback("later")
        public String sell(List<String> what) {
            return "";
        }
    }

    static class Excuses<E> {

        String later(String what, E failure) {
            return "";
        }
    }

    static class GenericNoFailure extends Excuses<String> {

        @Fallback("later")
        public String sell(String what) {
            return "";
        }
    }

    static class OtherResult {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        Integer later() {
            return 1;
        }
    }

    static class WiderResult {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        Object later() {
            return "";
        }
    }

    static class WiderNumber {

        @Fallback("later")
        public int sell(String what) {
            return 1;
        }

        long later() {
            return 1;
        }
    }

    static class OtherResultElements {

        @Fallback("later")
        public List<String> sell(String what) {
            return List.of(what);
        }

        List<Integer> later() {
            return List.of();
        }
    }

    static class AnyResultElements {

        @Fallback("later")
        public List<String> sell(String what) {
            return List.of(what);
        }

        List<?> later() {
            return List.of();
        }
    }

    static class GeneralRawResult {

        @Fallback("later")
        public List<String> sell(String what) {
            return List.of(what);
        }

        @SuppressWarnings("rawtypes")
        Collection later() {
            return List.of();
        }
    }

    static class VoidForObject {

        @Fallback("later")
        public Object sell(String what) {
            return what;
        }

        void later() {}
    }

    static class ResultForVoid {

        @Fallback("later")
        public void sell(String what) {}

        String later() {
            return "";
        }
    }

    static class OtherFuture {

        @Fallback("later")
        public CompletableFuture<String> sell(String what) {
            return CompletableFuture.completedFuture(what);
        }

        CompletableFuture<Integer> later() {
            return CompletableFuture.completedFuture(1);
        }
    }

    static class ValueForFuture {

        @Fallback("later")
        public CompletableFuture<String> sell(String what) {
            return CompletableFuture.completedFuture(what);
        }

        String later() {
            return "";
        }
    }

    static class FutureForValue {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class Itself {

        @Fallback("sell")
        public String sell(String what) {
            return what;
        }
    }

    static class Unclear {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        String later(String what, Exception failure) {
            return what;
        }

        String later(Exception failure, String what) {
            return what;
        }
    }

    static class CheckedException {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        String later(String what) throws IOException {
            return what;
        }
    }

    static class WiderException {

        @Fallback("later")
        public String sell(String what) throws FileNotFoundException {
            return what;
        }

        String later(String what) throws IOException {
            return what;
        }
    }

    static class TwoCheckedExceptions {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        String later(String what) throws IOException, TimeoutException, IllegalStateException {
            return what;
        }
    }

    /** The overload that declares none would never answer. */
    static class CheckedExceptionOfChosen {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }

        String later(String what) throws IOException {
            return what;
        }

        String later() {
            return "";
        }
    }

    abstract static class Throwing<E extends Exception> {

        String later(String what) throws E {
            return what;
        }
    }

    static class GenericException extends Throwing<IOException> {

        @Fallback("later")
        public String sell(String what) {
            return what;
        }
    }
}
