def shape(value):
    match value:
        case {"kind": kind, **rest}:
            return kind, rest
        case [first, *others]:
            return first, others
        case str() as text:
            return text
        case int(number) | float(number):
            return number
        case other:
            return other
print(shape(1))
