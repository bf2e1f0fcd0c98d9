// Draws states as an SVG that follows the reader's light or dark scheme, narrow enough for a phone.
import { type Layout, layoutOf, type Placed } from './layout.ts';
import type { Link, PublicStates } from './public-states.ts';

const BOX = { width: 104, height: 34 };
const GAP = { x: 20, y: 36 };
const LEFT = 38;
const TOP = 14;

/** @param title is read to people who cannot see the diagram. */
export function drawStates(title: string, states: PublicStates): string {
  const layout = layoutOf(states);
  const below = layout.aside ? 1 : 0;
  const width = LEFT + layout.columns * (BOX.width + GAP.x) + 30;
  const height = TOP + (layout.rows + below) * (BOX.height + GAP.y) - GAP.y + TOP;
  const aside: Placed | null = layout.aside && {
    state: layout.aside.state,
    row: layout.rows,
    column: layout.columns - 1,
  };
  const parts = [
    ...layout.links.map((link) => lineOf(layout, link)),
    ...(layout.aside && aside ? asideOf(layout, aside, layout.aside.from) : []),
    ...[...layout.placed.values()].map((one) => boxOf(one, one.state === states.first ? 'first' : 'state')),
    ...(aside ? [boxOf(aside, 'aside')] : []),
  ];
  return `${svg(title, width, height, parts)}\n`;
}

export const svg = (title: string, width: number, height: number, parts: string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>
.paper{fill:#fff}.box{fill:#eef6f4;stroke:#0b5d4f}.first{stroke-width:2.5}.aside{fill:#fff4e0;stroke:#8a5a00}
.line{fill:none;stroke:#3c4f4b;stroke-width:1.4}.dashed{stroke:#8a5a00;stroke-dasharray:4 3}.head{fill:#3c4f4b}.amber{fill:#8a5a00}
text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#12211e;text-anchor:middle}.label{font-size:11px;fill:#0b5d4f;font-weight:600}
@media (prefers-color-scheme:dark){.paper{fill:#141b1a}.box{fill:#1d2b28;stroke:#6fcdb8}.aside{fill:#2e2512;stroke:#e5b45a}
.line{stroke:#b8c7c3}.dashed{stroke:#e5b45a}.head{fill:#b8c7c3}.amber{fill:#e5b45a}text{fill:#e8f0ee}.label{fill:#7fdcc7}}
</style>
<defs>${head('head')}${head('amber')}</defs>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
${parts.join('\n')}
</svg>`;

const head = (id: string): string =>
  `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="${id}" d="M0 0 8 4 0 8z"/></marker>`;

const leftOf = ({ column }: Placed): number => LEFT + column * (BOX.width + GAP.x);
const topOf = ({ row }: Placed): number => TOP + row * (BOX.height + GAP.y);
const middleOf = (one: Placed): number => leftOf(one) + BOX.width / 2;

const boxOf = (one: Placed, kind: 'first' | 'state' | 'aside'): string =>
  `<rect class="box ${kind}" x="${leftOf(one)}" y="${topOf(one)}" width="${BOX.width}" height="${BOX.height}" rx="7"/>
<text x="${middleOf(one)}" y="${topOf(one) + 21}">${one.state}</text>`;

/** Draws a line straight to the next row, over several rows by the left side, and back up by the right side. */
function lineOf({ placed }: Layout, { from, to, isByUser }: Link): string {
  const [start, end] = [placed.get(from), placed.get(to)];
  if (!start || !end) return '';
  const label = isByUser ? labelOf(start, end) : '';
  if (end.row === start.row + 1) {
    const [x, y] = [middleOf(start), topOf(start) + BOX.height];
    return `${path(`M${x} ${y}C${x} ${y + 20} ${middleOf(end)} ${topOf(end) - 20} ${middleOf(end)} ${topOf(end) - 1}`)}${label}`;
  }
  const isBack = end.row < start.row;
  const side = isBack ? BOX.width : 0;
  const reach = isBack ? 28 : -28;
  const [x, toX] = [leftOf(start) + side, leftOf(end) + side];
  const [y, toY] = [topOf(start) + BOX.height / 2, topOf(end) + BOX.height / 2];
  const outer = isBack ? Math.max(x, toX) + reach : Math.min(x, toX) + reach;
  return `${path(`M${x} ${y}C${outer} ${y} ${outer} ${toY} ${toX + (isBack ? 1 : -1)} ${toY}`)}${label}`;
}

const labelOf = (start: Placed, end: Placed): string =>
  end.row < start.row
    ? `<text class="label" x="${leftOf(start) + BOX.width + 40}" y="${topOf(start) - 8}">retry</text>`
    : `<text class="label" x="${middleOf(start) + 34}" y="${topOf(start) + BOX.height + 22}">confirm</text>`;

/** Draws, below each state that leads there, a line to the right, where one line to the target collects them. */
function asideOf({ placed }: Layout, aside: Placed, from: string[]): string[] {
  const x = leftOf(aside) + BOX.width + 16;
  const sources = from.flatMap((state) => placed.get(state) ?? []);
  const below = (one: Placed): number => topOf(one) + BOX.height + 9;
  const highest = Math.min(...sources.map(below));
  const end = topOf(aside) + BOX.height / 2;
  return [
    ...sources.map((one) =>
      path(
        `M${leftOf(one) + BOX.width - 12} ${topOf(one) + BOX.height}V${below(one)}H${x}`,
        'line dashed',
        '',
      ),
    ),
    path(`M${x} ${highest}V${end}H${leftOf(aside) + BOX.width + 1}`, 'line dashed', 'amber'),
  ];
}

const path = (d: string, kind = 'line', marker = 'head'): string =>
  `<path class="${kind}" d="${d}"${marker && ` marker-end="url(#${marker})"`}/>`;
