import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { formatExact, formatRelative } from './format.ts';
import { small } from './table.tsx';

const REFRESH_MS = 15_000;
/** Time of the last refresh, in milliseconds since the epoch. */
const refreshedAt = signal(0);

/** Keeps the relative times of the document current as long as the page is open. */
export function keepTimes(): void {
  setInterval(() => {
    refreshedAt.value = Date.now();
  }, REFRESH_MS);
}

function Time({ at }: { at: string }): VNode {
  const time = Date.parse(at);
  return (
    <time datetime={at} title={formatExact(time)} class="time">
      {formatRelative(time, Math.max(refreshedAt.value, Date.now()))}
    </time>
  );
}

/** Returns the distance of a time from now, with the exact time on hover; `none` if there is no time. */
export function time(at: string | null, none = ''): VNode | string {
  return at === null ? none : <Time at={at} />;
}

/** Returns the distance of a time from now, and the exact time below it. */
export function timeWithDate(at: string): ComponentChildren {
  return [time(at), small(formatExact(Date.parse(at)))];
}
