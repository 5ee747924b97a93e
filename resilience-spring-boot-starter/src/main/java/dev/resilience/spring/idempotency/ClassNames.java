package dev.resilience.spring.idempotency;

import java.lang.reflect.Proxy;
import java.util.Iterator;
import java.util.List;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.VirtualAnnotatedMember;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.VirtualBeanPropertyWriter;
import tools.jackson.databind.util.Annotations;
import tools.jackson.databind.util.SimpleBeanPropertyDefinition;

/**
 * Writes the class of every bean and record beside its properties: two commands of different classes with the same
 * properties are not equal. Classes of the JDK are left out, for what is equal there may be of different classes.
 */
final class ClassNames extends ValueSerializerModifier {

    private static final String NAME = "#class";

    @Override
    public List<BeanPropertyWriter> changeProperties(
            SerializationConfig config, BeanDescription.Supplier bean, List<BeanPropertyWriter> properties) {
        AnnotatedClass type = bean.getClassInfo();
        if (!type.getName().startsWith("java.")) {
            JavaType text = config.constructType(String.class);
            properties.add(new ClassName(
                    SimpleBeanPropertyDefinition.construct(
                            config,
                            new VirtualAnnotatedMember(type, type.getRawType(), NAME, text),
                            PropertyName.construct(NAME)),
                    bean.getClassAnnotations(),
                    text));
        }
        return properties;
    }

    /** Whether a class has properties of its own. */
    static boolean areBeside(Iterator<PropertyWriter> properties) {
        while (properties.hasNext()) {
            if (!(properties.next() instanceof ClassName)) {
                return true;
            }
        }
        return false;
    }

    private static final class ClassName extends VirtualBeanPropertyWriter {

        ClassName(BeanPropertyDefinition definition, Annotations annotations, JavaType text) {
            super(definition, annotations, text);
        }

        /** Classes that are made at run time are called otherwise in every process. */
        @Override
        protected Object value(Object bean, JsonGenerator generator, SerializationContext context) {
            Class<?> type = ClassUtils.getUserClass(bean);
            return Proxy.isProxyClass(type) || type.isHidden() ? "" : type.getName();
        }

        @Override
        public VirtualBeanPropertyWriter withConfig(
                MapperConfig<?> config, AnnotatedClass type, BeanPropertyDefinition definition, JavaType text) {
            return new ClassName(definition, type.getAnnotations(), text);
        }
    }
}
