import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { Small } from './content.tsx';
import { formatExact, formatRelative } from './format.ts';

const REFRESH_MS = 15_000;
/** Time of the last refresh, in milliseconds since the epoch. */
const refreshedAt = signal(0);

/** Keeps the relative times of the document current as long as the page is open. */
export function keepTimes(): void {
  setInterval(() => {
    refreshedAt.value = Date.now();
  }, REFRESH_MS);
}

/** The distance of a time from now, with the exact time on hover; `none` if there is no time. */
export function Time({ at, none = '' }: { at: string | null; none?: string }): VNode {
  if (at === null) return <>{none}</>;
  const time = Date.parse(at);
  return (
    <time datetime={at} title={formatExact(time)} class="time">
      {formatRelative(time, Math.max(refreshedAt.value, Date.now()))}
    </time>
  );
}

/** The distance of a time from now, and the exact time below it. */
export function TimeWithDate({ at }: { at: string }): VNode {
  return (
    <>
      <Time at={at} />
      <Small>{formatExact(Date.parse(at))}</Small>
    </>
  );
}
