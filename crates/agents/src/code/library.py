# Says which Python this is, what is installed in it, and whether given modules and members are there.
import importlib
import importlib.metadata
import importlib.util
import sys

wanted = context.get("modules") or {}
found = {}


def present(name):
    """Whether a module can be found; parents of a dotted name are imported for it."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return name in sys.modules
    except BaseException:
        return None


def member(module, name):
    try:
        loaded = importlib.import_module(module)
    except ImportError:
        return False
    except BaseException:
        return None
    if hasattr(loaded, name):
        return True
    return present(module + "." + name) if hasattr(loaded, "__path__") else False


for module in sorted(wanted):
    there = present(module)
    names = {}
    if there:
        for name in wanted[module]:
            names[name] = member(module, name)
    found[module] = {"present": there, "members": names}

facts = {"modules": found}
if context.get("facts"):
    versions = {}
    for distribution in importlib.metadata.distributions():
        try:
            name, version = distribution.metadata["Name"], distribution.version
        except Exception:
            continue
        if name:
            versions[str(name)] = str(version)
    facts["python"] = list(sys.version_info[:3])
    facts["distributions"] = versions
context = facts
