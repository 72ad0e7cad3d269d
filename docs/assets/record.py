#!/usr/bin/env python3
"""Records a command at a real terminal and draws its last screen as SVG, for light and for dark pages.

usage: record.py NAME COLUMNS COMMAND [ARGUMENT...]      writes NAME-light.svg and NAME-dark.svg beside this file

Only what Candor writes is understood: text, colours, "cursor up", "erase below", carriage return and line feed.
"""
import html, os, pathlib, pty, re, struct, sys, fcntl, termios, unicodedata

THEMES = {
    "light": {"back": "#ffffff", "frame": "#d0d7de", "": "#1f2328", "2": "#656d76", "31": "#cf222e", "32": "#1a7f37", "33": "#9a6700", "36": "#0969da"},
    "dark": {"back": "#0d1117", "frame": "#30363d", "": "#e6edf3", "2": "#8b949e", "31": "#ff7b72", "32": "#3fb950", "33": "#d29922", "36": "#79c0ff"},
}
CELL, LINE, EDGE = 8.4, 20, 16


def record(columns, command):
    """Everything that the command writes to a terminal of this width."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        os.environ.pop("NO_COLOR", None)
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    written = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        written += chunk
    os.waitpid(child, 0)
    return written.decode("utf-8", "replace")


def screen(text, columns):
    """The rows that are there in the end: lists of (letter, colour, bold)."""
    rows, row, column, colour, bold = [[]], 0, 0, "", False
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b.|[^\x1b]", text, re.S):
        if part.startswith("\x1b["):
            numbers, what = part[2:-1], part[-1]
            if what == "m":
                for number in (numbers or "0").split(";"):
                    if number in ("0", ""):
                        colour, bold = "", False
                    elif number == "1":
                        bold = True
                    elif number in THEMES["light"]:
                        colour = number
            elif what == "A":
                row = max(0, row - int(numbers or 1))
            elif what == "J":
                rows[row] = rows[row][:column]
                del rows[row + 1 :]
        elif part == "\r":
            column = 0
        elif part == "\n":
            row += 1
            if row == len(rows):
                rows.append([])
        elif part.isprintable():
            if column >= columns:
                row, column = row + 1, 0
                if row == len(rows):
                    rows.append([])
            line = rows[row]
            line.extend([(" ", "", False)] * (column + 1 - len(line)))
            line[column] = (part, colour, bold)
            column += 2 if unicodedata.east_asian_width(part) in "WF" else 1
    while rows and not rows[-1]:
        rows.pop()
    return rows


def draw(title, rows, columns, theme):
    width, height = columns * CELL + 2 * EDGE, (len(rows) + 2) * LINE + EDGE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{html.escape(title)}">',
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="8" fill="{theme["back"]}" stroke="{theme["frame"]}"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" xml:space="preserve">',
    ]
    prompt = [[("$", "36", False), *[(letter, "", True) for letter in " " + title]]]
    for at, line in enumerate(prompt + rows):
        y, start = EDGE + (at + 1) * LINE - 4, 0
        while start < len(line):
            end = start
            while end < len(line) and line[end][1:] == line[start][1:]:
                end += 1
            words = "".join(letter for letter, _, _ in line[start:end])
            if words.strip():
                _, colour, bold = line[start]
                weight = ' font-weight="600"' if bold else ""
                # The length is said: fonts differ, columns must not.
                length = f' textLength="{(end - start) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                out.append(f'<text x="{EDGE + start * CELL:.1f}" y="{y}" fill="{theme[colour]}"{weight}{length}>{html.escape(words)}</text>')
            start = end
    out += ["</g>", "</svg>", ""]
    return "\n".join(out)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    name, columns, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    rows = screen(record(columns, command), columns)
    quoted = [word if re.fullmatch(r"[\w./:=-]+", word) else "'" + word + "'" for word in command]
    title = " ".join([pathlib.Path(quoted[0]).name, *quoted[1:]])
    for theme, colours in THEMES.items():
        path = pathlib.Path(__file__).parent / f"{name}-{theme}.svg"
        path.write_text(draw(title, rows, columns, colours), encoding="utf-8")


main()
