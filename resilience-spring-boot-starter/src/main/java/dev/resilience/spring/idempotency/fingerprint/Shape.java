package dev.resilience.spring.idempotency.fingerprint;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What counts of the objects of a class when arguments are compared: all that a method could see of them, by their
 * state and not by their JSON, which an application's annotations shorten, mask or round. Immutable; made once for each
 * class.
 *
 * <p>Collections and maps of whatever implementation are their elements and entries, objects of the JDK what {@link
 * JdkValues} says, all others their class and their fields, of superclasses too.
 *
 * @param name what objects of different shapes differ by, apart from their parts
 * @param view how the part is seen that belongs to the JDK, in values alone
 * @param fields what objects hold beside
 * @param whyNot why objects are not comparable, for refused ones alone
 */
record Shape(
        Kind kind,
        String name,
        JdkValues.@Nullable View view,
        List<Property> fields,
        @Nullable String whyNot) {

    enum Kind {
        ARRAY,
        LIST,
        SET,
        COLLECTION,
        MAP,
        VALUE,
        OBJECT,
        REFUSED
    }

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return make(type);
        }
    };

    /** Those of the JDK that leave all of the state to their subclasses. */
    private static final Set<Class<?>> STATELESS = Set.of(Object.class, Record.class, Number.class);

    static Shape of(Class<?> type) {
        return SHAPES.get(type);
    }

    private static Shape make(Class<?> type) {
        if (type.isArray()) {
            return new Shape(Kind.ARRAY, type.getComponentType().getName(), null, List.of(), null);
        }
        String whyNot = NoValues.why(type);
        if (whyNot != null) {
            return refused(whyNot);
        }
        if (type.isHidden() || Proxy.isProxyClass(type)) {
            List<Property> getters = Property.getters(type);
            return getters.isEmpty()
                    ? refused(NoValues.whyCode(type))
                    : new Shape(Kind.OBJECT, interfaces(type), null, getters, null);
        }
        if (isGeneratedSubclass(type)) {
            return refused(type.getName() + " is a proxy, whose fields are not those of the object behind it");
        }
        return JdkValues.isOne(type) ? ofJdk(type, type, List.of()) : ofApplication(type);
    }

    /** Of classes that are made at run time, whose own names say nothing. */
    private static String interfaces(Class<?> type) {
        return Arrays.stream(type.getInterfaces()).map(Class::getName).sorted().collect(Collectors.joining(","));
    }

    private static Shape ofApplication(Class<?> type) {
        Class<?> base = type;
        while (base != null && !JdkValues.isOne(base)) {
            base = base.getSuperclass();
        }
        Class<?> ofJdk = base == null ? Object.class : base;
        boolean keepsElementsItself = Modifier.isAbstract(ofJdk.getModifiers()) || ofJdk == Object.class;
        Kind container = container(type);
        if (container != null && keepsElementsItself && !type.isRecord()) {
            return new Shape(container, "", null, List.of(), null);
        }
        if (Property.isWrittenByItself(type, ofJdk)) {
            return refused(
                    type.getName() + " is written by a method of its own, so that its fields do not tell what counts");
        }
        List<Property> fields = Property.fields(type, ofJdk);
        for (Property field : fields) {
            if (!field.isReadable()) {
                return refused(type.getName() + " is in a module that does not open the package of '" + field.name()
                        + "' to this library");
            }
        }
        if (container != null) {
            boolean isPlain = fields.isEmpty() && type.isAnonymousClass();
            return new Shape(container, isPlain ? "" : type.getName(), null, fields, null);
        }
        return STATELESS.contains(ofJdk)
                ? new Shape(Kind.OBJECT, type.getName(), null, fields, null)
                : ofJdk(ofJdk, type, fields);
    }

    /** What an object is by its class of the JDK, which is its own or the closest of its superclasses. */
    private static Shape ofJdk(Class<?> ofJdk, Class<?> type, List<Property> fields) {
        JdkValues.View view = JdkValues.of(ofJdk);
        if (view != null) {
            return new Shape(Kind.VALUE, (type == ofJdk ? view.type() : type).getName(), view, fields, null);
        }
        Kind container = container(ofJdk);
        if (container != null) {
            return new Shape(container, "", null, fields, null);
        }
        if (ofJdk == Object.class) {
            return new Shape(Kind.OBJECT, type.getName(), null, fields, null);
        }
        return refused(type.getName() + " holds what only the JDK can see, as a " + ofJdk.getName());
    }

    /** A queue by priorities is in the order of its elements' arrival only by chance, other collections promise none. */
    private static @Nullable Kind container(Class<?> type) {
        if (Map.class.isAssignableFrom(type)) {
            return Kind.MAP;
        }
        if (!Collection.class.isAssignableFrom(type)) {
            return null;
        }
        if (Set.class.isAssignableFrom(type)) {
            return Kind.SET;
        }
        boolean isOrdered = List.class.isAssignableFrom(type)
                || (Queue.class.isAssignableFrom(type)
                        && !PriorityQueue.class.isAssignableFrom(type)
                        && !PriorityBlockingQueue.class.isAssignableFrom(type));
        return isOrdered ? Kind.LIST : Kind.COLLECTION;
    }

    /** CGLIB's, which Spring uses, and Hibernate's. */
    private static boolean isGeneratedSubclass(Class<?> type) {
        Class<?> superclass = type.getSuperclass();
        return superclass != null
                && (type.getName().startsWith(superclass.getName() + "$$")
                        || type.getName().startsWith(superclass.getName() + "$HibernateProxy$"));
    }

    private static Shape refused(String why) {
        return new Shape(Kind.REFUSED, "", null, List.of(), why);
    }
}
