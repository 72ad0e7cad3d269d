# python: 3.12
def first[T](items: list[T]) -> T:
    return items[0]
class Box[T]:
    def get(self) -> T: ...
type Pair[A, B] = tuple[A, B]
print(first([1]), Box, Pair)
