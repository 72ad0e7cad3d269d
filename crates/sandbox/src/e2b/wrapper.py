# Runs a program that nobody trusts, and tells in one line what came of it. Only the last lines are filled in.
import base64
import json


def _candor(code, context, take, marker):
    import linecache
    import sys
    import traceback
    import types

    # Taken now: the program may put others in their places.
    out, encode, name = sys.stdout, json.JSONEncoder().encode, "<code>"
    most_levels, most_warnings, most_text, most_trace = 100, 20, 4000, 16000
    warnings, more = [], []

    class Unfit(Exception):
        pass

    def clipped(text, most):
        return text if len(text) <= most else text[: most // 2] + " [...] " + text[-most // 2 :]

    def place(path):
        parts = []
        while path is not None:
            path, part = path
            parts.append(part)
        return "`" + clipped("".join(reversed(parts)), 200) + "` "

    def warn(path, text):
        (warnings if len(warnings) < most_warnings else more).append(place(path) + text)

    def whole(text):
        # Halves of surrogate pairs are no Unicode, and nobody else could read them.
        return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")

    def letters(text, path):
        clean = whole(text)
        if clean != text:
            warn(path, "holds half characters, which were turned into question marks")
        return clean

    def said(error):
        try:
            return whole(clipped(str(error), most_text))
        except BaseException:
            return "(it cannot be told what it says)"

    def plain(value, path, above=frozenset()):
        if value is None or type(value) is bool:
            return value
        if isinstance(value, int):
            return integer(int(value), path)
        if isinstance(value, float):
            value = float(value)
            if value - value == 0.0:
                return value
            warn(path, "is " + repr(value) + ", which JSON cannot hold, and was turned into null")
            return None
        if isinstance(value, str):
            return letters(str.__str__(value), path)
        if isinstance(value, (dict, list, tuple)):
            return several(value, path, above)
        return other(value, path, above)

    def integer(value, path):
        if -(2**63) <= value < 2**64:
            return value
        warn(path, "is a number with too many digits, and was turned into text")
        try:
            return str(value)
        except ValueError:
            return hex(value)

    def several(value, path, above):
        if id(value) in above:
            raise Unfit(place(path) + "holds itself; JSON cannot tell of that")
        if len(above) >= most_levels:
            raise Unfit(place(path) + "is nested more than " + str(most_levels) + " deep")
        above = above | {id(value)}
        if isinstance(value, dict):
            return members(value, path, above)
        return [plain(item, (path, "[" + str(n) + "]"), above) for n, item in enumerate(value)]

    def members(value, path, above):
        made = {}
        for key, item in dict.items(value):
            key = {None: "null", True: "true", False: "false"}[key] if key is None or type(key) is bool else str(key)
            inner = (path, "." + key)
            key = letters(key, inner)
            if key in made:
                warn(inner, "is there twice once its keys are text; the last one counts")
            made[key] = plain(item, inner, above)
        return made

    def other(value, path, above):
        # The numbers of numpy and its kin know what they are in Python.
        if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)):
            inner = value.item()
            if type(inner) is not type(value):
                return plain(inner, path, above)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return octets(bytes(value), path)
        warn(path, "is of the type " + type(value).__name__ + " and was turned into text")
        if isinstance(value, (set, frozenset)):
            # In an order of its own every time, if nobody sorts it.
            return whole("{" + ", ".join(sorted(repr(item) for item in value)) + "}")
        return whole(str(value))

    def octets(value, path):
        try:
            text, kind = value.decode("utf-8"), "text"
        except UnicodeDecodeError:
            text, kind = base64.b64encode(value).decode(), "base64"
        warn(path, "is of the type bytes and was turned into " + kind)
        return text

    def result(names):
        try:
            return wanted(names)
        except (Unfit, MemoryError):
            raise
        except BaseException as error:
            raise Unfit("the result cannot be turned into JSON: " + said(error)) from None

    def wanted(names):
        if take == "insights":
            return {take: plain(names[take], (None, take))} if take in names else {}
        if take not in names:
            raise Unfit("the program deleted the variable `context`")
        if not isinstance(names[take], dict):
            kind = type(names[take]).__name__
            raise Unfit("the program made `context` a " + kind + "; it must stay a map (dict)")
        return plain(names[take], (None, take))

    def raised(error):
        line, first, at = None, None, error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == name:
                line, first = at.tb_lineno, first or at
            at = at.tb_next
        if line is None and isinstance(error, SyntaxError) and error.filename == name:
            line = error.lineno
        try:
            trace = "".join(traceback.format_exception(type(error), error, first))
        except BaseException:
            trace = ""
        line = line if type(line) is int and 0 < line < 2**32 else None
        told = {"name": whole(clipped(type(error).__name__, 200)), "text": said(error), "line": line}
        return {"raised": {**told, "trace": whole(clipped(trace, most_trace))}}

    def left(error):
        return {"left": "" if error.code is None else whole(clipped(repr(error.code), 200))}

    def alone(program, names):
        # Notebooks run programs inside an event loop, and so none of them could run one of its own.
        loops = sys.modules.get("asyncio.events")
        loop = loops._get_running_loop() if loops else None
        if loop is None:
            return exec(program, names)
        loops._set_running_loop(None)
        try:
            exec(program, names)
        finally:
            loops._set_running_loop(loop)

    def run():
        main = types.ModuleType("__main__")
        # Notebooks hide the two that leave a program.
        main.__dict__.update(context=context, json=json, base64=base64, exit=sys.exit, quit=sys.exit)
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        before = sys.modules.get("__main__")
        sys.modules["__main__"] = main
        try:
            alone(compile(code, name, "exec", dont_inherit=True), main.__dict__)
            return {"finished": result(main.__dict__)}
        except SystemExit as error:
            return left(error)
        except MemoryError:
            return {"memory": None}
        except Unfit as error:
            return {"bad": said(error)}
        except BaseException as error:
            return raised(error)
        finally:
            sys.modules["__main__"] = before

    what = run()
    if more:
        warnings.append("and " + str(len(more)) + " more of this kind")
    # What was printed goes first: what cannot be sent of it must not take the result with it.
    out.flush()
    # In one piece, so that nothing comes between; and at the start of a line, whatever was printed before.
    out.write("\n" + marker + encode({"what": what, "warnings": [whole(text) for text in warnings]}) + "\n")
    out.flush()


_candor(
    base64.b64decode("{{code}}").decode("utf-8"),
    json.loads(base64.b64decode("{{context}}").decode("utf-8")),
    "{{take}}",
    "{{marker}}",
)
