import { threeDigits } from './format.ts';

/** A text or shape of an SVG drawing. */
type Node = string;

/** Escapes what XML would read as markup. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** One element; a number is written with at most two decimals. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly Node[] | string = [],
): Node {
  const list = Object.entries(attributes)
    .map(
      ([key, value]) =>
        ` ${key}="${typeof value === 'number' ? Number(value.toFixed(2)) : escapeXml(value)}"`,
    )
    .join('');
  const inner = typeof content === 'string' ? escapeXml(content) : content.join('');
  return inner === '' ? `<${name}${list}/>` : `<${name}${list}>${inner}</${name}>`;
}

// Lines of a chart, light and dark.
const LINES = [
  ['#0969da', '#4493f8'],
  ['#1a7f37', '#3fb950'],
  ['#bc4c00', '#f0883e'],
  ['#8250df', '#ab7df8'],
  ['#cf222e', '#ff7b72'],
  ['#9a6700', '#d29922'],
  ['#bf3989', '#f778ba'],
] as const;

// Colours of both schemes; every text stands on the background of its own scheme.
const STYLE = [
  'svg{font:13px system-ui,sans-serif}',
  '.back{fill:#fff}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d1d9e0;fill:none}',
  '.ours{fill:#0969da;stroke:#0969da}.peer{fill:#818b98;stroke:#818b98}',
  ...LINES.map(([light], index) => `.line${index}{fill:${light};stroke:${light}}`),
  '.line{fill:none;stroke-width:2}',
  '@media (prefers-color-scheme:dark){.back{fill:#0d1117}.ink{fill:#f0f6fc}.soft{fill:#9198a1}',
  '.grid{stroke:#3d444d}.ours{fill:#4493f8;stroke:#4493f8}.peer{fill:#9198a1;stroke:#9198a1}',
  ...LINES.map(([, dark], index) => `.line${index}{fill:${dark};stroke:${dark}}`),
  '}',
].join('');

/** A whole drawing on its background, with a title that a screen reader finds. */
export function drawing(width: number, height: number, title: string, nodes: readonly Node[]): string {
  const open = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
  };
  return `${element('svg', open, [
    element('title', {}, title),
    `<style>${STYLE}</style>`,
    element('rect', { class: 'back', x: 0, y: 0, width, height }),
    element('text', { class: 'ink', x: 16, y: 24, 'font-weight': 600 }, title),
    ...nodes,
  ])}\n`;
}

/** An axis: maps a value to its place, linear from zero or logarithmic. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** A scale over the values that covers them with round marks. */
export function scale(
  values: readonly number[],
  from: number,
  to: number,
  kind: 'linear' | 'log' | 'log2',
): Scale {
  const top = Math.max(...values);
  if (kind === 'linear') {
    const rough = top / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
    const count = Math.ceil(top / step);
    return {
      at: (value) => from + ((to - from) * value) / (step * count),
      ticks: Array.from({ length: count + 1 }, (_, i) => i * step),
    };
  }
  const base = kind === 'log' ? 10 : 2;
  const exponent = (value: number): number => Math.log(value) / Math.log(base);
  const low = Math.floor(exponent(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(exponent(top) - 1e-9));
  return {
    at: (value) => from + ((to - from) * (exponent(value) - low)) / (high - low),
    ticks: Array.from({ length: high - low + 1 }, (_, i) => base ** (low + i)),
  };
}

/** A text anchored at a place. */
export function label(
  x: number,
  y: number,
  text: string,
  kind: 'ink' | 'soft' = 'soft',
  anchor: 'start' | 'middle' | 'end' = 'start',
): Node {
  return element('text', { class: kind, x, y, 'text-anchor': anchor }, text);
}

/** Vertical grid lines with their values below. */
export function gridX(axis: Scale, top: number, bottom: number): Node[] {
  return axis.ticks.flatMap((tick) => [
    element('path', { class: 'grid', d: `M${axis.at(tick).toFixed(1)} ${top}V${bottom}` }),
    label(axis.at(tick), bottom + 18, threeDigits(tick), 'soft', 'middle'),
  ]);
}

/** Horizontal grid lines with their values at the left. */
export function gridY(axis: Scale, left: number, right: number): Node[] {
  return axis.ticks.flatMap((tick) => [
    element('path', { class: 'grid', d: `M${left} ${axis.at(tick).toFixed(1)}H${right}` }),
    label(left - 8, axis.at(tick) + 4, threeDigits(tick), 'soft', 'end'),
  ]);
}
