from typing import Literal
def f(mode: Literal["read", "write"]) -> None:
    return None
print(f)
