"""The icon: a sentence of three lines with a tick under it, drawn here so that no picture has to be kept."""

import struct
import zlib

SIDE = 128
# Samples per side of a pixel: enough that slanted edges look smooth.
SAMPLES = 2
GROUND, PAPER, TICK = (24, 42, 58), (236, 240, 243), (86, 196, 140)

LINES = ((28, 30, 100), (28, 46, 100), (28, 62, 74))
LINE_HALF = 4
TICK_POINTS = ((36, 88), (56, 106), (98, 74))
TICK_HALF = 6.5
CORNER = 24


def png() -> bytes:
    rows = bytearray()
    for y in range(SIDE):
        rows.append(0)
        for x in range(SIDE):
            rows.extend(_pixel(x, y))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _pixel(x: int, y: int) -> bytes:
    seen = []
    for row in range(SAMPLES):
        for column in range(SAMPLES):
            seen.append(_colour(x + (column + 0.5) / SAMPLES, y + (row + 0.5) / SAMPLES))
    inside = [colour for colour in seen if colour]
    if not inside:
        return b"\0\0\0\0"
    mixed = [sum(colour[part] for colour in inside) // len(inside) for part in range(3)]
    return bytes([*mixed, 255 * len(inside) // len(seen)])


def _colour(x: float, y: float):
    nearest_x = min(max(x, CORNER), SIDE - CORNER)
    nearest_y = min(max(y, CORNER), SIDE - CORNER)
    if (x - nearest_x) ** 2 + (y - nearest_y) ** 2 > CORNER**2:
        return None
    (ax, ay), (bx, by), (cx, cy) = TICK_POINTS
    if _near(x, y, ax, ay, bx, by, TICK_HALF) or _near(x, y, bx, by, cx, cy, TICK_HALF):
        return TICK
    if any(_near(x, y, left, middle, right, middle, LINE_HALF) for left, middle, right in LINES):
        return PAPER
    return GROUND


def _near(x: float, y: float, ax: float, ay: float, bx: float, by: float, distance: float) -> bool:
    """Whether a point lies this near to a stroke from a to b."""
    length = (bx - ax) ** 2 + (by - ay) ** 2
    along = max(0.0, min(1.0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
    return (x - ax - along * (bx - ax)) ** 2 + (y - ay - along * (by - ay)) ** 2 <= distance**2
