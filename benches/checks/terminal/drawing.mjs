// Draws what a terminal shows as SVG: one picture, or a film of several that plays by itself.
const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const BAR = 28;
const PAPER = "#14161a";
const INK = "#d8dce2";
// The sixteen colours of a terminal, readable on the paper above.
const COLOURS = ["#3b4048", "#f07178", "#8fd18a", "#e6c07b", "#6cb6ff", "#c99bf0", "#5fcfcf", "#d8dce2", "#7d8590", "#ff8f94", "#a6e3a1", "#f2d59a", "#8fcbff", "#dbb7ff", "#86e1e1", "#ffffff"];

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

function indexed(number) {
  if (number < 16) return COLOURS[number];
  if (number >= 232) return `rgb(${Array(3).fill(8 + (number - 232) * 10)})`;
  const step = (value) => (value ? 55 + value * 40 : 0);
  const at = number - 16;
  return `rgb(${step(Math.floor(at / 36))},${step(Math.floor(at / 6) % 6)},${step(at % 6)})`;
}

function styled(style, codes) {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at];
    if (code === 0) style = {};
    else if (code === 1) style = { ...style, bold: true };
    else if (code === 2) style = { ...style, dim: true };
    else if (code === 3) style = { ...style, italic: true };
    else if (code === 4) style = { ...style, underline: true };
    else if (code === 22) style = { ...style, bold: false, dim: false };
    else if (code === 23) style = { ...style, italic: false };
    else if (code === 24) style = { ...style, underline: false };
    else if (code >= 30 && code <= 37) style = { ...style, ink: COLOURS[code - 30] };
    else if (code >= 90 && code <= 97) style = { ...style, ink: COLOURS[code - 82] };
    else if (code === 39) style = { ...style, ink: undefined };
    else if (code === 38 && codes[at + 1] === 5) { style = { ...style, ink: indexed(codes[at + 2]) }; at += 2; }
    else if (code === 38 && codes[at + 1] === 2) { style = { ...style, ink: `rgb(${codes.slice(at + 2, at + 5)})` }; at += 4; }
  }
  return style;
}

// Scripts whose signs take two cells.
const cells = (text) => [...text].reduce((sum, sign) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(sign) ? 2 : 1), 0);

function* runs(line) {
  let style = {};
  const clean = line.replace(/\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g, "");
  for (const part of clean.split(/(\x1b\[[\d;:]*m)/)) {
    const sgr = /^\x1b\[([\d;:]*)m$/.exec(part);
    if (sgr) style = styled(style, sgr[1].split(/[;:]/).map(Number));
    else if (part) yield [part, style];
  }
}

function drawnLine(line, row) {
  let column = 0;
  let drawn = "";
  for (const [text, style] of runs(line)) {
    const wide = cells(text);
    if (text.trim()) {
      const looks = [style.ink && `fill="${style.ink}"`, style.bold && 'font-weight="700"', style.italic && 'font-style="italic"', style.dim && 'opacity="0.65"', style.underline && 'text-decoration="underline"'].filter(Boolean).join(" ");
      drawn += `<text x="${(MARGIN + column * CELL.width).toFixed(1)}" y="${BAR + MARGIN + row * CELL.height + 13}" textLength="${(wide * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" ${looks}>${escaped(text)}</text>`;
    }
    column += wide;
  }
  return drawn;
}

const drawn = (screen) => screen.split("\n").map(drawnLine).join("");

function sheet(columns, rows, title, inside, style = "") {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = BAR + rows * CELL.height + 2 * MARGIN;
  const lights = ["#f07178", "#e6c07b", "#8fd18a"].map((colour, at) => `<circle cx="${18 + at * 18}" cy="15" r="5" fill="${colour}"/>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="${INK}">${style}<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>${lights}${inside}</svg>\n`;
}

export function picture(screen, columns, title) {
  const text = screen.replace(/\s+$/, "");
  return sheet(columns, text.split("\n").length, title, drawn(text));
}

// Frames are `{ at, screen }`, `at` in milliseconds from the beginning. Plays without end; whoever wants no motion sees
// the last frame.
export function film(frames, columns, rows, title, rest = 4000) {
  const end = frames.at(-1).at + rest;
  let style = "<style>.f{visibility:hidden}.l{visibility:visible}@media (prefers-reduced-motion:no-preference){.l{visibility:hidden}";
  let inside = "";
  for (const [number, frame] of frames.entries()) {
    const from = (frame.at / end) * 100;
    const to = ((frames[number + 1]?.at ?? end) / end) * 100;
    style += `@keyframes k${number}{0%{visibility:hidden}${from.toFixed(3)}%{visibility:visible}${to.toFixed(3)}%{visibility:hidden}}.k${number}{animation:k${number} ${end}ms step-end infinite}`;
    inside += `<g class="f k${number}${number === frames.length - 1 ? " l" : ""}">${drawn(frame.screen)}</g>`;
  }
  return sheet(columns, rows, title, inside, `${style}}</style>`);
}
