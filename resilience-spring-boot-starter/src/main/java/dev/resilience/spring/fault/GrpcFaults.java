package dev.resilience.spring.fault;

import dev.resilience.fault.Fault;
import dev.resilience.spring.ReflectiveAccessor;
import java.util.Set;

/** What gRPC's status codes tell. */
final class GrpcFaults {

    private static final Set<String> TRANSIENT =
            Set.of("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED");

    private static final ReflectiveAccessor STATUS = new ReflectiveAccessor("getStatus");
    private static final ReflectiveAccessor CODE = new ReflectiveAccessor("getCode");

    private GrpcFaults() {}

    /** @param failure a {@code StatusException} or a {@code StatusRuntimeException} */
    static Fault classify(Throwable failure) {
        Object code = CODE.of(STATUS.of(failure));
        if (code == null) {
            return Fault.UNKNOWN;
        }
        return TRANSIENT.contains(code.toString()) ? Fault.TRANSIENT : Fault.PERMANENT;
    }
}
