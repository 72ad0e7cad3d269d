"""Charts as SVG: bars for groups, a line for periods. Plain text, no script, readable in light and dark pages."""

from xml.sax.saxutils import escape

WIDE, ROW, LEFT, RIGHT, TOP = 760, 24, 190, 110, 50
MOST_BARS, MOST_LETTERS = 20, 26
BLUE, GREY, INK = "#3b6ea8", "#c9ced6", "#30343b"


def chart(result, short):
    """A chart of the first measure; nothing if there is too little to draw."""
    groups = result["question"]["groups"]
    rows = [row for row in result["rows"] if row["values"][0] is not None]
    if not groups or len(rows) < 2:
        return None
    line = "period" in groups[0] and len(groups) == 1
    return lines(result, rows, short) if line and len(rows) > 2 else bars(result, rows[:MOST_BARS], short)


def label(row):
    text = " · ".join(key or "(empty)" for key in row["keys"])
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def page(high, title, body):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {high}" width="{WIDE}" height="{high}" role="img" font-family="system-ui, sans-serif" font-size="13">'
    back = f'<rect width="{WIDE}" height="{high}" fill="#ffffff"/>'
    name = f'<title>{escape(title)}</title><text x="16" y="26" font-size="16" fill="{INK}">{escape(title)}</text>'
    return "\n".join([head, back, name, *body, "</svg>"]) + "\n"


def bars(result, rows, short):
    values = [row["values"][0] for row in rows]
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    room = WIDE - LEFT - RIGHT

    def x(value):
        return LEFT + (value - low) / span * room

    body = []
    for n, (row, value) in enumerate(zip(rows, values)):
        y = TOP + n * ROW
        from_x, to_x = sorted((x(0.0), x(value)))
        body.append(f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end" fill="{INK}">{escape(label(row))}</text>')
        body.append(f'<rect x="{from_x:.1f}" y="{y + 3}" width="{max(to_x - from_x, 1):.1f}" height="{ROW - 7}" fill="{BLUE}"/>')
        body.append(f'<text x="{to_x + 6:.1f}" y="{y + 15}" fill="{INK}">{escape(short(value))}</text>')
    return page(TOP + len(rows) * ROW + 16, result["title"], body)


def lines(result, rows, short):
    values = [row["values"][0] for row in rows]
    low, high = min(0.0, *values), max(0.0, *values)
    span, bottom, left = (high - low) or 1.0, 300, 100

    def x(n):
        return left + n / (len(rows) - 1) * (WIDE - left - 30)

    def y(value):
        return bottom - (value - low) / span * (bottom - TOP - 10)

    body = []
    for part in range(5):
        value = low + span * part / 4
        body.append(f'<line x1="{left}" y1="{y(value):.1f}" x2="{WIDE - 30}" y2="{y(value):.1f}" stroke="{GREY}" stroke-width="0.7"/>')
        body.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end" fill="{INK}">{escape(short(value))}</text>')
    points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in enumerate(values))
    body.append(f'<polyline points="{points}" fill="none" stroke="{BLUE}" stroke-width="2"/>')
    if len(rows) <= 40:
        body += [f'<circle cx="{x(n):.1f}" cy="{y(value):.1f}" r="3" fill="{BLUE}"/>' for n, value in enumerate(values)]
    step = max(1, -(-len(rows) // 8))
    for n in range(0, len(rows), step):
        body.append(f'<text x="{x(n):.1f}" y="{bottom + 20}" text-anchor="middle" fill="{INK}">{escape(label(rows[n]))}</text>')
    return page(bottom + 36, result["title"], body)
