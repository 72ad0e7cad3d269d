# Finds what an installed library says of itself, and gives the parts that fit a query best.
import difflib
import importlib
import importlib.metadata
import inspect
import math
import pkgutil
import re
import sys

MOST_ENTRIES = 4000
MOST_DEPTH = 2
BEST = 8

# Names that people use for libraries, and the modules that they are imported as.
NAMES = {
    "pymupdf": ["pymupdf", "fitz"],
    "fitz": ["fitz", "pymupdf"],
    "pillow": ["PIL"],
    "pil": ["PIL"],
    "opencv": ["cv2"],
    "opencv-python": ["cv2"],
    "scikit-learn": ["sklearn"],
    "beautifulsoup": ["bs4"],
    "beautifulsoup4": ["bs4"],
    "pyyaml": ["yaml"],
    "python-dateutil": ["dateutil"],
    "python-docx": ["docx"],
}

library = str(context.get("library") or "").strip()
query = str(context.get("query") or "")
most = int(context.get("most") or 6000)


def words_of(text):
    """Words in lower case; names are taken apart at underscores and capitals."""
    parts = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).replace("_", " ")
    return re.findall(r"[^\W_]+", parts.lower())


def candidates(name):
    plain = name.lower()
    listed = list(NAMES.get(plain, []))
    listed += [name, plain, plain.replace("-", "_")]
    try:
        top = importlib.metadata.distribution(name).read_text("top_level.txt") or ""
        listed += top.split()
    except Exception:
        pass
    kept = []
    for one in listed:
        if one and one not in kept:
            kept.append(one)
    return kept


def load(name):
    for one in candidates(name):
        try:
            return importlib.import_module(one)
        except BaseException:
            continue
    return None


def near(name):
    known = set(getattr(sys, "stdlib_module_names", sys.builtin_module_names))
    known |= {module.name for module in pkgutil.iter_modules()}
    known = sorted(one for one in known if not one.startswith("_"))
    return difflib.get_close_matches(name, known, n=5, cutoff=0.5)


def signature(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def collect(root):
    """Public functions, classes and methods of a library, with what they say of themselves."""
    entries = []
    seen = set()
    package = root.__name__.split(".")[0]

    def visit(owner, prefix, depth):
        if depth > MOST_DEPTH or len(entries) >= MOST_ENTRIES:
            return
        for name in sorted(dir(owner)):
            if name.startswith("_") or len(entries) >= MOST_ENTRIES:
                continue
            try:
                thing = getattr(owner, name)
            except BaseException:
                continue
            path = prefix + "." + name
            if inspect.ismodule(thing):
                if thing.__name__.split(".")[0] == package and id(thing) not in seen:
                    seen.add(id(thing))
                    visit(thing, path, depth + 1)
                continue
            is_class = inspect.isclass(thing)
            if not is_class and not callable(thing) and not isinstance(thing, property):
                continue
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            text = inspect.getdoc(thing) or ""
            call = "" if isinstance(thing, property) else signature(thing)
            entries.append((path, call, text))
            home = (getattr(thing, "__module__", None) or "").split(".")[0]
            if is_class and home == package:
                visit(thing, path, depth + 1)

    seen.add(id(root))
    visit(root, root.__name__, 0)
    return entries


def best(entries, query):
    """BM25 over name and text; a word in the name counts several times."""
    wanted = set(words_of(query))
    if not wanted:
        return entries[:BEST]
    texts = []
    for path, call, text in entries:
        own = path.split(".", 1)[-1]
        texts.append(words_of(own) * 4 + words_of(call) + words_of(text[:2000]))
    mean = sum(len(text) for text in texts) / max(1, len(texts)) or 1.0
    rarity = {}
    for word in wanted:
        holding = sum(1 for text in texts if word in text)
        rarity[word] = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
    scored = []
    for entry, text in zip(entries, texts):
        score = 0.0
        for word in wanted:
            count = text.count(word)
            if count:
                score += rarity[word] * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(text) / mean))
        if entry[0].rsplit(".", 1)[-1].lower() in wanted:
            score += 1.0
        # Of two that fit as well, the one that is nearer to the library itself is meant.
        score /= 1.0 + 0.3 * max(0, entry[0].count(".") - 1)
        if score > 0:
            scored.append((-score, entry[0], entry))
    scored.sort(key=lambda one: one[:2])
    return [entry for _, _, entry in scored[:BEST]]


def written(root, entries):
    version = ""
    try:
        version = " " + importlib.metadata.version(root.__name__.split(".")[0])
    except Exception:
        pass
    head = (inspect.getdoc(root) or "").split("\n\n")[0]
    parts = ["{}{}: {}".format(root.__name__, version, head[:400])]
    share = max(200, (most - len(parts[0])) // max(1, len(entries)) - 20)
    for path, call, text in entries:
        part = path + call + "\n" + "\n".join("    " + line for line in text.splitlines())
        parts.append(part[:share].rstrip())
    return "\n\n".join(parts)[:most]


root = load(library) if library else None
if root is None:
    close = near(library)
    hint = "; near are: " + ", ".join(close) if close else ""
    context = {"error": "the library {} is not installed in the sandbox{}".format(library or "(none)", hint)}
else:
    context = {"text": written(root, best(collect(root), query))}
