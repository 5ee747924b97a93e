package dev.resilience.spring.idempotency;

import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Refuses arguments of which JSON shows nothing though there is something: behind an interface, no startup can see them,
 * and all of them would look alike. So do lambdas, which have no fields if they need nothing.
 */
final class BlankArguments extends ValueSerializerModifier {

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier bean, ValueSerializer<?> serializer) {
        Class<?> type = bean.getBeanClass();
        if (!WrittenParts.isByProperties(serializer) || ClassNames.areBeside(serializer.properties())) {
            return serializer;
        }
        return Fields.areIn(type) || type.isHidden() ? new Refused(type) : serializer;
    }

    private static final class Refused extends StdSerializer<Object> {

        Refused(Class<?> type) {
            super(type);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            Class<?> type = handledType();
            context.reportBadDefinition(
                    type, type.isHidden() ? ArgumentCheck.whyCode(type) : WrittenParts.whyBlank(type));
        }
    }
}
