"""Prints the attribute names of the published conventions that ours must be among."""
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv.attributes import error_attributes

for module in (gen_ai_attributes, error_attributes):
    for name in dir(module):
        value = getattr(module, name)
        if name.isupper() and isinstance(value, str):
            print(value)
