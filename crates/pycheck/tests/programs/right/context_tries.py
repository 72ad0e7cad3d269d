# context: a
try:
    value = context["b"]
except KeyError:
    value = None
from contextlib import suppress
with suppress(KeyError):
    value = context["c"]
