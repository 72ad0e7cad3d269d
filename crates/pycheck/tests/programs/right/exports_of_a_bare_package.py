"""Nothing but a list of what lies beside it."""
__all__ = ["dom", "sax"]
