import enum


@enum.global_enum
class Colour(enum.Enum):
    RED = 1


print(RED)
