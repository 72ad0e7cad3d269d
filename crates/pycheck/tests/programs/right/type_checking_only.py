from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from decimal import Decimal
def f(x: "Decimal") -> "list[Decimal]":
    return [x]
print(f)
