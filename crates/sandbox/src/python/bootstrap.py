# Runs one program that nobody trusts. Started with -I -S in a confinement; told on fd 0 (a socket) what to do, and
# answers there once. Whatever is needed after the program has run is taken hold of before: the program may replace
# any function of any module. The words of what comes back are for people.

import sys


def prepare(settings):
    """Brings the libraries within reach and loads what is usual; what is missing is the program's problem."""
    sys.path.extend(settings["path"])
    for name in settings["preload"]:
        try:
            __import__(name)
        except BaseException:
            pass


def main():
    import json as own_json
    # The program gets a copy of its own, so that it can change it as it likes.
    for name in [name for name in sys.modules if name.split(".")[0] == "json"]:
        del sys.modules[name]
    import base64, binascii, builtins, io, json, linecache, os, struct, traceback, types

    CHANNEL_FROM = 300
    MOST_DEPTH = 100
    MOST_WARNINGS = 20
    MOST_TEXT = 4000
    MOST_TRACE = 16000
    LEAST_INT, MOST_INT = -(2**63), 2**64 - 1
    TOO_LARGE, DISK_FULL = 27, 28

    import fcntl
    # Whoever started us may have left something open.
    os.closerange(3, 1 << 16)
    channel = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, CHANNEL_FROM)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)

    leave, getpid, read, write, pack = os._exit, os.getpid, os.read, os.write, struct.pack
    checksum, format_trace, encode = binascii.crc32, traceback.format_exception, own_json.JSONEncoder
    me, set_depth = getpid(), sys.setrecursionlimit
    out, err = sys.stdout, sys.stderr
    for stream in (out, err):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)

    def receive(count):
        parts = []
        while count:
            part = read(channel, min(count, 1 << 20))
            if not part:
                leave(0)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    class Unfit(Exception):
        """The result cannot be told."""

    class Teller:
        """Makes JSON of what a program leaves behind, and notes what had to be changed."""

        def __init__(self):
            self.warnings, self.more, self.above = [], 0, set()

        def warn(self, path, what):
            if len(self.warnings) < MOST_WARNINGS:
                self.warnings.append("`" + clipped(path, 200) + "` " + what)
            else:
                self.more += 1

        def all_warnings(self):
            rest = ["and %d more of this kind" % self.more] if self.more else []
            return self.warnings + rest

        def plain(self, value, path, depth=0):
            kind = type(value)
            if value is None or kind is bool or kind is str:
                return value
            if isinstance(value, int):
                return self.whole(int(value), path)
            if isinstance(value, float):
                return self.real(float(value), path)
            if isinstance(value, str):
                return str.__str__(value)
            if isinstance(value, (dict, list, tuple)):
                return self.nested(value, path, depth)
            return self.other(value, path, depth)

        def whole(self, value, path):
            if LEAST_INT <= value <= MOST_INT:
                return value
            self.warn(path, "is a number with too many digits, and was turned into text")
            try:
                return str(value)
            except ValueError:
                return hex(value)

        def real(self, value, path):
            if value - value == 0.0:
                return value
            self.warn(path, "is " + repr(value) + ", which JSON cannot hold, and was turned into null")
            return None

        def nested(self, value, path, depth):
            if id(value) in self.above:
                raise Unfit("`" + clipped(path, 200) + "` holds itself; JSON cannot tell of that")
            if depth >= MOST_DEPTH:
                raise Unfit("`" + clipped(path, 200) + "` is nested more than %d deep" % MOST_DEPTH)
            self.above.add(id(value))
            if isinstance(value, dict):
                made = self.members(value, path, depth)
            else:
                made = [self.plain(item, "%s[%d]" % (path, n), depth + 1) for n, item in enumerate(value)]
            self.above.discard(id(value))
            return made

        def members(self, value, path, depth):
            made = {}
            for key, item in value.items():
                name = self.key(key)
                if name in made:
                    self.warn(path + "." + name, "is there twice once its keys are text; the last one counts")
                made[name] = self.plain(item, path + "." + name, depth + 1)
            return made

        def key(self, key):
            if type(key) is str:
                return key
            if key is None or isinstance(key, bool):
                return {None: "null", True: "true", False: "false"}[key]
            return str(key)

        def other(self, value, path, depth):
            if isinstance(value, (bytes, bytearray, memoryview)):
                return self.octets(bytes(value), path)
            # The numbers of numpy and its kin know what they are in Python.
            item = getattr(value, "item", None)
            if getattr(value, "shape", None) == () and callable(item):
                try:
                    inner = item()
                except Exception:
                    inner = value
                if type(inner) is not type(value):
                    return self.plain(inner, path, depth + 1)
            self.warn(path, "is of the type " + type(value).__name__ + " and was turned into text")
            if isinstance(value, (set, frozenset)):
                # In an order of its own every time, if nobody sorts it.
                return "{" + ", ".join(sorted(repr(item) for item in value)) + "}"
            return str(value)

        def octets(self, value, path):
            try:
                text = value.decode("utf-8")
                self.warn(path, "is of the type bytes and was turned into text")
            except UnicodeDecodeError:
                text = base64.b64encode(value).decode()
                self.warn(path, "is of the type bytes and was turned into base64")
            return text

    def clipped(text, most):
        return text if len(text) <= most else text[: most // 2] + " [...] " + text[-most // 2 :]

    def said(error):
        try:
            return clipped(str(error), MOST_TEXT)
        except BaseException:
            return "(it cannot be told what it says)"

    def told_of(error):
        if isinstance(error, MemoryError):
            return {"kind": "memory"}
        if isinstance(error, OSError) and error.errno in (TOO_LARGE, DISK_FULL):
            return {"kind": "disk", "text": said(error)}
        if isinstance(error, SystemExit):
            return {"kind": "left", "code": clipped(repr(error.code), 200)}
        if isinstance(error, Unfit):
            return {"kind": "unfit", "text": said(error)}
        return {
            "kind": "raised", "name": clipped(type(error).__name__, 200), "text": said(error),
            "line": line_of(error), "trace": trace_of(error),
        }

    def own_part(trace):
        while trace is not None and trace.tb_frame.f_code.co_filename != "<code>":
            trace = trace.tb_next
        return trace

    def line_of(error):
        trace, line = own_part(error.__traceback__), None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "<code>":
                line = trace.tb_lineno
            trace = trace.tb_next
        if line is None and isinstance(error, SyntaxError) and error.filename == "<code>":
            line = error.lineno
        return line if type(line) is int and 0 < line < 2**32 else None

    def trace_of(error):
        try:
            return clipped("".join(format_trace(type(error), error, own_part(error.__traceback__))), MOST_TRACE)
        except BaseException:
            return ""

    def taken(module, wanted, teller):
        if wanted == "insights":
            if "insights" not in module:
                return {}
            return {"insights": teller.plain(module["insights"], "insights")}
        if "context" not in module:
            raise Unfit("the program deleted the variable `context`")
        if not isinstance(module["context"], dict):
            kind = type(module["context"]).__name__
            raise Unfit("the program made `context` a " + kind + "; it must stay a map (dict)")
        return teller.plain(module["context"], "context")

    def performed(code, module, wanted):
        """What came of the program. Nothing of the way back is in a variable of this function or its callers."""
        try:
            exec(compile(code, "<code>", "exec", dont_inherit=True), module)
        except BaseException as error:
            return told_of(error)
        teller = Teller()
        try:
            result = taken(module, wanted, teller)
            return {"kind": "finished", "result": result, "warnings": teller.all_warnings()}
        except Unfit as error:
            return told_of(error)
        except MemoryError as error:
            return told_of(error)
        except RecursionError:
            return {"kind": "unfit", "text": "the result is nested too deep"}
        except BaseException as error:
            return {"kind": "unfit", "text": "the result cannot be turned into JSON: " + said(error)}

    def as_bytes(outcome, most):
        encoder = encode(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        try:
            data = encoder.encode(outcome).encode("utf-8")
        except UnicodeEncodeError:
            outcome.get("warnings", []).append("half characters in the result were turned into question marks")
            data = encoder.encode(outcome).encode("utf-8", "replace")
        if len(data) > most:
            data = encode().encode({"kind": "too_large", "bytes": len(data)}).encode()
        return data

    def flush():
        for stream in (sys.stdout, sys.stderr, out, err):
            try:
                stream.flush()
            except BaseException:
                pass

    def quit(code=None):
        raise SystemExit(code)

    builtins.exit = builtins.quit = quit
    reserve = bytearray(1 << 20)
    write(channel, b"R")
    job = own_json.loads(receive(*struct.unpack(">Q", receive(8))))
    # The word that makes an answer ours lies in the buffer of this file, where Python cannot look.
    answer = io.BufferedWriter(io.FileIO(channel, "wb", closefd=False))
    answer.write(bytes.fromhex(job.pop("token")))
    code, wanted, most = job["code"], job["wanted"], job["most"]
    place = types.ModuleType("__main__")
    place.__dict__.update(context=job.pop("context"), json=json, base64=base64, __builtins__=builtins)
    sys.modules["__main__"], sys.argv = place, ["<code>"]
    linecache.cache["<code>"] = (len(code), None, code.splitlines(True), "<code>")
    del job
    write(channel, b"B")
    outcome = performed(code, place.__dict__, wanted)
    # A child that the program made and let come this far has nothing to tell.
    if getpid() != me:
        leave(0)
    reserve = None
    set_depth(5000)
    try:
        data = as_bytes(outcome, most)
    except MemoryError:
        data = b'{"kind":"memory"}'
    except BaseException as error:
        data = encode().encode({"kind": "unfit", "text": "the result cannot be told: " + said(error)}).encode()
    flush()
    answer.write(pack(">QI", len(data), checksum(data) & 0xFFFFFFFF))
    answer.write(data)
    answer.flush()
    leave(0)


if __name__ == "__main__":
    import json as settings

    prepare(settings.loads(sys.argv[1]))
    del settings
    main()
