#!/usr/bin/env python3
"""Draws the growth curves of `cargo xtask bench peers` as one SVG.

    python3 docs/assets/growth.py target/growth.json docs/assets/growth.svg

Both axes are logarithmic: a flat line is a cost that does not grow. Colours follow the reader's light or dark setting.
"""

import json
import math
import sys
from html import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 460, 250, 62, 44, 20, 36

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } .axis { stroke: #8c959f }
.line { fill: none; stroke: #0969da; stroke-width: 2 } .dot { fill: #0969da } .back { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .back { fill: #0d1117 } .line { stroke: #58a6ff } .dot { fill: #58a6ff } }
"""


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def scale(values, low, high):
    first, last = math.log(min(values)), math.log(max(values))
    span = (last - first) or 1.0
    return lambda value: low + (math.log(value) - first) / span * (high - low)


def curve(name, points, x, y):
    xs = [max(point[0], 1e-9) for point in points]
    ys = [max(point[1], 1e-9) for point in points]
    across = scale(xs, LEFT, WIDTH - RIGHT)
    # Less than a factor of four would fill the height and look like growth.
    middle = math.sqrt(min(ys) * max(ys))
    up = scale(ys + [middle / 2, middle * 2], HEIGHT - BOTTOM, TOP)
    places = [(across(a), up(b)) for a, b in zip(xs, ys)]
    parts = [f'<g transform="translate({x} {y})"><text class="title" x="{LEFT}" y="20">{escape(name)}</text>']
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none"/>')
    parts.append(f'<polyline class="line" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in places)}"/>')
    for (a, b), across_value, up_value in zip(places, xs, ys):
        parts.append(f'<circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>')
        parts.append(f'<text x="{a:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number(across_value)}</text>')
        parts.append(f'<text x="{a:.1f}" y="{b - 9:.1f}" text-anchor="middle">{number(up_value)}</text>')
    return "".join(parts) + "</g>"


def main(source, target):
    with open(source, encoding="utf-8") as file:
        curves = json.load(file)
    drawn = [curve(name, points, n % 2 * WIDTH, n // 2 * HEIGHT) for n, (name, points) in enumerate(curves.items())]
    width, height = 2 * WIDTH, (len(drawn) + 1) // 2 * HEIGHT
    names = escape("; ".join(curves))
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{names}">')
        file.write(f'<style>{STYLE}</style><rect class="back" width="{width}" height="{height}"/>{"".join(drawn)}</svg>\n')


if __name__ == "__main__":
    main(*sys.argv[1:3])
