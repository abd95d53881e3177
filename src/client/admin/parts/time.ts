import { element } from '../../dom.ts';
import { formatExact, formatRelative } from './format.ts';

const REFRESH_MS = 15_000;

/** Creates the distance of a time from now, kept current by `keepTimes`, with the exact time on hover. */
export function relativeTime(iso: string): HTMLElement {
  const time = Date.parse(iso);
  const attributes = { datetime: iso, title: formatExact(time), class: 'time' };
  return element('time', attributes, formatRelative(time, Date.now()));
}

/** Creates a relative time, or a text if there is no time. */
export function optionalTime(iso: string | null, none: string): Node | string {
  return iso === null ? none : relativeTime(iso);
}

/** Keeps the relative times of the document current as long as the page is open. */
export function keepTimes(): void {
  setInterval(() => {
    for (const node of document.querySelectorAll<HTMLTimeElement>('time.time')) {
      const text = formatRelative(Date.parse(node.dateTime), Date.now());
      if (node.textContent !== text) node.textContent = text;
    }
  }, REFRESH_MS);
}
