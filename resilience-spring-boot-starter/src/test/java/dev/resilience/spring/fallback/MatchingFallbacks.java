package dev.resilience.spring.fallback;

import com.example.desk.FarDesk;
import dev.resilience.annotation.Fallback;
import java.io.IOException;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Beans whose one protected method fails, and whose fallback answers. */
@SuppressWarnings({"UnusedMethod", "rawtypes", "TypeParameterUnusedInFormals"}) // called by name
final class MatchingFallbacks {

    private MatchingFallbacks() {}

    /** What each of them answers if it is called with "tea", 2, 3L and the like. */
    static Map<Class<?>, Object> answers() {
        return Map.ofEntries(
                Map.entry(AllParameters.class, "tea 2"),
                Map.entry(AllAndTheFailure.class, "tea 2 ConnectException"),
                Map.entry(TheFailureAndAll.class, "tea 2 ConnectException"),
                Map.entry(TheFirst.class, "tea"),
                Map.entry(TheFirstAndTheFailure.class, "tea ConnectException"),
                Map.entry(TheFailureAndTheFirst.class, "tea ConnectException"),
                Map.entry(TheFailureAlone.class, "ConnectException"),
                Map.entry(Nothing.class, "nothing"),
                Map.entry(OwnThrowable.class, "parameter IllegalStateException"),
                Map.entry(OwnThrowableAndFailure.class, "IllegalStateException, then ConnectException"),
                Map.entry(MostParameters.class, "tea 2"),
                Map.entry(ClosestBeforeMostParameters.class, "ConnectException"),
                Map.entry(Variable.class, "2 [3, 4]"),
                Map.entry(VariableLeftOut.class, "2 ConnectException"),
                Map.entry(OfTheClass.class, "static tea"),
                Map.entry(Private.class, "private tea"),
                Map.entry(PrivateBesideTheMethod.class, "private tea"),
                Map.entry(OfSuperclass.class, "protected tea"),
                Map.entry(OfSuperclassElsewhere.class, "far tea"),
                Map.entry(OfLessVisibleSuperclass.class, "inherited tea"),
                Map.entry(OfSubclass.class, "subclass tea"),
                Map.entry(Overridden.class, "overridden tea"),
                Map.entry(Abstract.class, "concrete tea"),
                Map.entry(OfInterface.class, "default tea"),
                Map.entry(InInterfaceWithTheMethod.class, "default tea"),
                Map.entry(StaticInInterface.class, "static tea"),
                Map.entry(PrivateInInterface.class, "private tea"),
                Map.entry(InheritedGeneric.class, "2 3"),
                Map.entry(DeepGeneric.class, "2 3"),
                Map.entry(GenericBelow.class, "[tea]"),
                Map.entry(AbstractGeneric.class, "2 3"),
                Map.entry(GenericArray.class, "[tea]"),
                Map.entry(NestedGeneric.class, "[[tea]]"),
                Map.entry(GenericWildcard.class, "[tea]"),
                Map.entry(GenericFailure.class, "tea ConnectException"),
                Map.entry(GenericList.class, "[tea]"),
                Map.entry(AnyElements.class, "[tea]"),
                Map.entry(WiderElements.class, "[3]"),
                Map.entry(RawElements.class, "[tea]"),
                Map.entry(ElementsOfItsOwn.class, "[tea]"),
                Map.entry(Narrower.class, "narrower"),
                Map.entry(Boxed.class, 2),
                Map.entry(Unboxed.class, 2),
                Map.entry(PrimitiveForObject.class, 2),
                Map.entry(NarrowerElements.class, List.of(3)),
                Map.entry(GenericResult.class, List.of("tea")),
                Map.entry(Future.class, "later tea"),
                Map.entry(FutureForStage.class, "later tea"),
                Map.entry(StageForFuture.class, "later tea"),
                Map.entry(FutureWithCheckedException.class, "later tea"),
                Map.entry(DeclaredException.class, "tea"),
                Map.entry(NarrowerException.class, "tea"),
                Map.entry(GenericException.class, "tea"),
                Map.entry(UncheckedException.class, "tea"),
                Map.entry(InferredException.class, "tea"));
    }

    private static String name(Throwable failure) {
        return failure.getClass().getSimpleName();
    }

    static class AllParameters {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(String what, int howMany) {
            return what + " " + howMany;
        }
    }

    static class AllAndTheFailure {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(String what, int howMany, IOException failure) {
            return what + " " + howMany + " " + name(failure);
        }
    }

    static class TheFailureAndAll {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(IOException failure, String what, int howMany) {
            return what + " " + howMany + " " + name(failure);
        }
    }

    static class TheFirst {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(String what) {
            return what;
        }
    }

    static class TheFirstAndTheFailure {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(String what, Throwable failure) {
            return what + " " + name(failure);
        }
    }

    static class TheFailureAndTheFirst {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(Exception failure, String what) {
            return what + " " + name(failure);
        }
    }

    static class TheFailureAlone {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(Exception failure) {
            return name(failure);
        }
    }

    static class Nothing {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later() {
            return "nothing";
        }
    }

    static class OwnThrowable {

        @Fallback("later")
        public String sell(Exception reported) throws ConnectException {
            throw new ConnectException();
        }

        String later(Exception reported) {
            return "parameter " + name(reported);
        }
    }

    static class OwnThrowableAndFailure {

        @Fallback("later")
        public String sell(Exception reported) throws ConnectException {
            throw new ConnectException();
        }

        String later(Exception reported, Exception failure) {
            return name(reported) + ", then " + name(failure);
        }
    }

    static class MostParameters {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(Exception failure) {
            return "none";
        }

        String later(Exception failure, String what, int howMany) {
            return what + " " + howMany;
        }

        String later(String what, Exception failure) {
            return what;
        }

        String later(String what, int howMany) {
            return "without the failure";
        }
    }

    static class ClosestBeforeMostParameters {

        @Fallback("later")
        public String sell(String what, int howMany) throws ConnectException {
            throw new ConnectException();
        }

        String later(ConnectException failure) {
            return name(failure);
        }

        String later(String what, int howMany, IOException failure) {
            return what;
        }
    }

    static class Variable {

        @Fallback("later")
        public String sell(int first, Long... more) throws ConnectException {
            throw new ConnectException();
        }

        String later(int first, Long... more) {
            return first + " " + Arrays.toString(more);
        }
    }

    static class VariableLeftOut {

        @Fallback("later")
        public String sell(int first, Long... more) throws ConnectException {
            throw new ConnectException();
        }

        String later(int first, Throwable failure) {
            return first + " " + name(failure);
        }
    }

    static class OfTheClass {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        static String later(String what) {
            return "static " + what;
        }
    }

    static class Private {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        private String later(String what) {
            return "private " + what;
        }
    }

    static class PrivateBesideTheMethod extends Private {}

    static class Desk {

        protected String later(String what) {
            return "protected " + what;
        }
    }

    static class OfSuperclass extends Desk {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class OfSuperclassElsewhere extends FarDesk {

        @Fallback("forSubclasses")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class LessVisible {

        public String later(String what) {
            return "inherited " + what;
        }
    }

    /** Has a bridge to its fallback, because its superclass is not public. */
    public static class OfLessVisibleSuperclass extends LessVisible {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Seller {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class OfSubclass extends Seller {

        String later(String what) {
            return "subclass " + what;
        }
    }

    static class Overridden extends OfSuperclass {

        @Override
        protected String later(String what) {
            return "overridden " + what;
        }
    }

    abstract static class Selling {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        protected abstract String later(String what);
    }

    static class Abstract extends Selling {

        @Override
        protected String later(String what) {
            return "concrete " + what;
        }
    }

    interface Later {

        default String later(String what) {
            return "default " + what;
        }
    }

    static class OfInterface implements Later {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    interface Shop {

        @Fallback("later")
        default String sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        default String later(String what) {
            return "default " + what;
        }
    }

    static class InInterfaceWithTheMethod implements Shop {}

    interface StaticShop {

        @Fallback("later")
        String sell(String what) throws ConnectException;

        static String later(String what) {
            return "static " + what;
        }
    }

    static class StaticInInterface implements StaticShop {

        @Override
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    interface PrivateShop {

        @Fallback("later")
        default String sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        private String later(String what) {
            return "private " + what;
        }
    }

    static class PrivateInInterface implements PrivateShop {}

    static class GenericDesk<T> {

        public String later(int first, T second) {
            return first + " " + second;
        }

        String ofArrays(T[][] all) {
            return Arrays.toString(all[0]);
        }

        String nested(List<Set<T>> all) {
            return all.toString();
        }

        String wildcard(List<? extends T> all) {
            return all.toString();
        }

        List<T> result(T one) {
            return List.of(one);
        }
    }

    static class InheritedGeneric extends GenericDesk<Long> {

        @Fallback("later")
        public String sell(int first, Long second) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Between<R> extends GenericDesk<R> {}

    static class DeepGeneric extends Between<Long> {

        @Fallback("later")
        public String sell(int first, Long second) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class StillOpen<R> extends GenericDesk<R> {

        @Fallback("wildcard")
        public String sell(List<? extends R> all) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class GenericBelow<X> extends StillOpen<X> {}

    abstract static class GenericSelling<T> {

        @Fallback("later")
        public String sell(int first, T second) throws ConnectException {
            throw new ConnectException();
        }

        protected abstract String later(int first, T second);
    }

    static class AbstractGeneric extends GenericSelling<Long> {

        @Override
        protected String later(int first, Long second) {
            return first + " " + second;
        }
    }

    static class GenericArray extends GenericDesk<String> {

        @Fallback("ofArrays")
        public String sell(String[][] all) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class NestedGeneric extends GenericDesk<String> {

        @Fallback("nested")
        public String sell(List<Set<String>> all) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class GenericWildcard extends GenericDesk<String> {

        @Fallback("wildcard")
        public String sell(List<? extends String> all) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Excuses<E extends Exception> {

        String later(String what, E failure) {
            return what + " " + name(failure);
        }
    }

    static class GenericFailure extends Excuses<ConnectException> {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Lists<T> {

        String later(T all) {
            return all.toString();
        }
    }

    static class GenericList extends Lists<List<String>> {

        @Fallback("later")
        public String sell(List<String> all) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class AnyElements {

        @Fallback("later")
        public String sell(List<String> all) throws ConnectException {
            throw new ConnectException();
        }

        String later(List<?> all) {
            return all.toString();
        }
    }

    static class WiderElements {

        @Fallback("later")
        public String sell(List<? extends Integer> all) throws ConnectException {
            throw new ConnectException();
        }

        String later(List<? extends Number> all) {
            return all.toString();
        }
    }

    static class RawElements {

        @Fallback("later")
        public String sell(List<String> all) throws ConnectException {
            throw new ConnectException();
        }

        String later(List all) {
            return all.toString();
        }
    }

    static class ElementsOfItsOwn {

        @Fallback("later")
        public String sell(List<String> all) throws ConnectException {
            throw new ConnectException();
        }

        <E> String later(List<E> all) {
            return all.toString();
        }
    }

    static class Narrower {

        @Fallback("later")
        public CharSequence sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        String later() {
            return "narrower";
        }
    }

    static class Boxed {

        @Fallback("later")
        public int sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        Integer later() {
            return 2;
        }
    }

    static class Unboxed {

        @Fallback("later")
        public Integer sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        int later() {
            return 2;
        }
    }

    static class PrimitiveForObject {

        @Fallback("later")
        public Object sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        int later() {
            return 2;
        }
    }

    static class NarrowerElements {

        @Fallback("later")
        public Collection<? extends Number> sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        List<Integer> later() {
            return List.of(3);
        }
    }

    static class GenericResult extends GenericDesk<String> {

        @Fallback("result")
        public List<String> sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Future {

        @Fallback("later")
        public CompletableFuture<String> sell(String what) {
            return CompletableFuture.failedFuture(new ConnectException());
        }

        CompletableFuture<String> later(String what) {
            return CompletableFuture.completedFuture("later " + what);
        }
    }

    static class FutureForStage {

        @Fallback("later")
        public CompletionStage<String> sell(String what) {
            return CompletableFuture.failedFuture(new ConnectException());
        }

        CompletableFuture<String> later(String what) {
            return CompletableFuture.completedFuture("later " + what);
        }
    }

    static class StageForFuture {

        @Fallback("later")
        public CompletableFuture<String> sell(String what) {
            return CompletableFuture.failedFuture(new ConnectException());
        }

        CompletionStage<String> later(String what) {
            return CompletableFuture.completedStage("later " + what);
        }
    }

    static class FutureWithCheckedException {

        @Fallback("later")
        public CompletableFuture<String> sell(String what) {
            return CompletableFuture.failedFuture(new ConnectException());
        }

        CompletableFuture<String> later(String what) throws IOException {
            return CompletableFuture.completedFuture("later " + what);
        }
    }

    static class DeclaredException {

        @Fallback("later")
        public String sell(String what) throws IOException {
            throw new ConnectException();
        }

        String later(String what) throws IOException {
            return what;
        }
    }

    static class NarrowerException {

        @Fallback("later")
        public String sell(String what) throws Exception {
            throw new ConnectException();
        }

        String later(String what) throws IOException, InterruptedException {
            return what;
        }
    }

    static class Throwing<E extends Exception> {

        String later(String what) throws E {
            return what;
        }
    }

    static class GenericException extends Throwing<ConnectException> {

        @Fallback("later")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class UncheckedException {

        @Fallback("later")
        public String sell(String what) {
            throw new IllegalStateException();
        }

        String later(String what) throws IllegalArgumentException, StackOverflowError {
            return what;
        }
    }

    static class InferredException {

        @Fallback("later")
        public String sell(String what) {
            throw new IllegalStateException();
        }

        <E extends Throwable> String later(String what) throws E {
            return what;
        }
    }
}
