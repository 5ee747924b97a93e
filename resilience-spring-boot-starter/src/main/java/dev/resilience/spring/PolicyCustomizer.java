package dev.resilience.spring;

/**
 * Changes policies in code, as a bean: of every kind whose policies are of the type {@code P}, and also of a kind of the
 * application's own.
 *
 * <pre>{@code
 * @Bean
 * PolicyCustomizer<BulkheadPolicy> smallOnTestMachines() {
 *     return (name, policy) -> name.equals("search") ? BulkheadPolicy.builder().maxConcurrent(2).build() : policy;
 * }
 * }</pre>
 *
 * <p>It has the last word: it gets what library, {@code default}, {@code extends}, bean, annotation and properties make of
 * a policy. Of several, each gets what the one before it has returned, in the order of {@code @Order}. It is asked once for
 * each policy, {@code default} included; what it makes of a policy is not inherited by others, which it gets themselves. The
 * type argument must be known from the bean's class or from the return type of its {@code @Bean} method.
 *
 * @param <P> the record of the policies
 */
@FunctionalInterface
public interface PolicyCustomizer<P extends Record> {

    /**
     * The policy to take in place of the given one, which may be the same.
     *
     * @param name of the policy
     * @throws dev.resilience.policy.InvalidPolicyException for values that the policy cannot have; fails the startup
     */
    P customize(String name, P policy);
}
