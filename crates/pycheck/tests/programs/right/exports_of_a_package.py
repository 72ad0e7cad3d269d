"""A package whose modules are loaded when they are asked for."""
__all__ = ["parser", "writer", "parse"]


def parse(text):
    from thing.parser import Parser
    return Parser().parse(text)
