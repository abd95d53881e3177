import type { VNode } from 'preact';

/** Paths of the icons, in a square of 24. */
const PATHS = {
  status: 'M3 12h4l3-8 4 16 3-8h4',
  apps: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  usage: 'M4 20h16M6 16v-5M10 16V8M14 16v-7M18 16V4',
  signups: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20a6 6 0 0 1 12 0M16 12l2 2 4-4',
  keys: 'M15 3a6 6 0 1 0-4.5 9.9L3 20v1h4v-3h3v-3l2-2A6 6 0 0 0 15 3zM16 7.5h.01',
  roots: 'M12 3v5M12 8l-6 5M12 8l6 5M4 13h4v4H4zM16 13h4v4h-4zM10 3h4v3h-4zM6 17v4M18 17v4',
  refusals: 'M12 3l9 16H3zM12 9v5M12 16.5v.01',
  audit: 'M6 3h9l4 4v14H6zM9 9h6M9 13h7M9 17h7',
  webhooks: 'M4 12h10M10 7l5 5-5 5M19 4v16',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  access: 'M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0v4',
  menu: 'M4 7h16M4 12h16M4 17h16',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** Draws the mark of the service, as on its favicon. */
export function brandMark(): VNode {
  return (
    <svg viewBox="0 0 32 32" class="brand-mark" aria-hidden="true">
      <rect width={32} height={32} rx={7} />
      <path d="M8 26V15a8 8 0 0 1 16 0v11M12.4 18.6l2.7 2.7 4.6-5.2" />
    </svg>
  );
}

/** Draws an icon that goes with a text. */
export function icon(name: IconName): VNode {
  return (
    <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
