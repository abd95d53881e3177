/** A theme of the pages, named as in CSS. */
export type Theme = 'light' | 'dark';

/** Colours of links, buttons and focus rings in one theme, each `#rrggbb`. */
export interface AccentColors {
  readonly accent: string;
  /** Colour of a button under the pointer. */
  readonly strong: string;
  /** Colour of text on the other two colours. */
  readonly onAccent: string;
}

type Channels = readonly [red: number, green: number, blue: number];

/**
 * Backgrounds of the accent in `src/client/base.css`: page and card. The accent is used for text and for focus rings, so
 * the stricter contrast for text applies.
 */
export const PAGE_BACKGROUNDS: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#f4f5f7', '#ffffff'],
  dark: ['#11141a', '#191e27'],
};

/** WCAG 2.2, success criterion 1.4.3; 1.4.11 requires 3 around controls. */
const MIN_CONTRAST = 4.5;
const WHITE: Channels = [255, 255, 255];
const BLACK: Channels = [0, 0, 0];
const STRONG_SHARE = 0.25;
const STEPS_TO_WHITE = 20;

/**
 * Returns the reason why an accent colour cannot be used in a theme, with its contrast; undefined if it can.
 *
 * @param color - `#rrggbb`
 */
export function accentFault(color: string, theme: Theme): string | undefined {
  const [ground, ratio] = worstBackground(channelsOf(color), theme);
  if (ratio >= MIN_CONTRAST) return undefined;
  const direction = theme === 'light' ? 'darker' : 'lighter';
  // Rounded down, so that 4.499 is not shown as 4.5.
  const measured = (Math.floor(ratio * 100) / 100).toFixed(2);
  return `expected a contrast of at least ${MIN_CONTRAST}:1 with the backgrounds of the pages in the ${theme} theme, got "${color}", which has ${measured}:1 on ${ground}; choose a ${direction} one`;
}

/**
 * Returns the accent of a theme and the colours derived from it; undefined if neither colour is set; the stylesheet
 * then applies. Without a colour for the dark theme, the other one is mixed with white until it is readable.
 */
export function accentColors(
  theme: Theme,
  accentColor: string | undefined,
  accentColorDark: string | undefined,
): AccentColors | undefined {
  const own = theme === 'light' ? accentColor : accentColorDark;
  if (own !== undefined) return companions(channelsOf(own), theme);
  if (theme === 'light' || accentColor === undefined) return undefined;
  return companions(lightened(channelsOf(accentColor)), theme);
}

function companions(accent: Channels, theme: Theme): AccentColors {
  const onAccent = contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK;
  return {
    accent: textOf(accent),
    // Mixed away from the colour of the text on it, which increases the contrast.
    strong: textOf(mixed(accent, theme === 'light' ? BLACK : WHITE, STRONG_SHARE)),
    onAccent: textOf(onAccent),
  };
}

function lightened(color: Channels): Channels {
  for (let step = 0; step <= STEPS_TO_WHITE; step++) {
    const lighter = mixed(color, WHITE, step / STEPS_TO_WHITE);
    if (worstBackground(lighter, 'dark')[1] >= MIN_CONTRAST) return lighter;
  }
  return WHITE;
}

function worstBackground(color: Channels, theme: Theme): readonly [ground: string, ratio: number] {
  const measured = PAGE_BACKGROUNDS[theme].map(
    (ground) => [ground, contrast(color, channelsOf(ground))] as const,
  );
  return measured.reduce((worst, each) => (each[1] < worst[1] ? each : worst));
}

/** WCAG 2.2, "contrast ratio". */
function contrast(a: Channels, b: Channels): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminance(channels: Channels): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mixed(color: Channels, other: Channels, share: number): Channels {
  const mix = (index: 0 | 1 | 2): number => Math.round(color[index] + (other[index] - color[index]) * share);
  return [mix(0), mix(1), mix(2)];
}

function channelsOf(color: string): Channels {
  const channel = (start: number): number => Number.parseInt(color.slice(start, start + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function textOf(channels: Channels): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
