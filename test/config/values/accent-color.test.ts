import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  accentColors,
  accentFault,
  PAGE_BACKGROUNDS,
  type Theme,
} from '../../../src/config/values/accent-color.ts';
import { faultsOf, load, useConfigFolder } from '../support/config-folder.ts';

const BASE_CSS = readFileSync(new URL('../../../src/client/base.css', import.meta.url), 'utf8');

/** Value of a property of `:root` in a theme. */
function token(name: string, theme: Theme): string {
  const [light = '', dark = ''] = BASE_CSS.split('@media (prefers-color-scheme: dark)');
  return new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(theme === 'light' ? light : dark)?.[1] ?? '';
}

describe.each<Theme>(['light', 'dark'])('the accent in the %s theme', (theme) => {
  it('is measured against the backgrounds of the stylesheet', () => {
    expect(PAGE_BACKGROUNDS[theme]).toEqual([token('ground', theme), token('card', theme)]);
  });

  it('of the stylesheet itself is accepted', () => {
    expect(accentFault(token('accent', theme), theme)).toBeUndefined();
    expect(accentFault(token('accent-strong', theme), theme)).toBeUndefined();
  });
});

describe('a contrast', () => {
  // Ratios computed by another program with the formula of WCAG 2.2, rounded down.
  it.each([
    ['#ffffff', 'light', '1.00:1 on #ffffff'],
    ['#767676', 'light', '4.16:1 on #f4f5f7'],
    ['#ffcc00', 'light', '1.38:1 on #f4f5f7'],
    ['#000000', 'dark', '1.13:1 on #11141a'],
    ['#1d56c4', 'dark', '2.53:1 on #191e27'],
  ] as const)('of %s in the %s theme is too low: %s', (color, theme, measured) => {
    expect(accentFault(color, theme)).toContain(`got "${color}", which has ${measured}`);
  });

  it('is accepted just above the limit, and refused for the next lighter grey', () => {
    const grey = (value: number): string => `#${value.toString(16).padStart(2, '0').repeat(3)}`;
    const passes = Array.from({ length: 256 }, (_, value) => accentFault(grey(value), 'light') === undefined);
    const lightest = passes.lastIndexOf(true);
    expect(passes.slice(0, lightest + 1).every(Boolean)).toBe(true);
    expect(grey(lightest)).toBe('#707070');
  });
});

describe('the colours derived from an accent', () => {
  it('are those of the stylesheet when none is set', () => {
    expect(accentColors('light', undefined, undefined)).toBeUndefined();
    expect(accentColors('dark', undefined, undefined)).toBeUndefined();
    expect(accentColors('light', undefined, '#8fb4ff')).toBeUndefined();
  });

  it('are darker on hover in the light theme and lighter in the dark one, with readable text', () => {
    expect(accentColors('light', '#0b6240', undefined)).toEqual({
      accent: '#0b6240',
      strong: '#084a30',
      onAccent: '#ffffff',
    });
    expect(accentColors('dark', '#0b6240', '#7fdcae')).toEqual({
      accent: '#7fdcae',
      strong: '#9fe5c2',
      onAccent: '#000000',
    });
  });

  it('in the dark theme are derived from the light accent so that they are readable', () => {
    for (const color of ['#000000', '#1d56c4', '#0b6240', '#9c1f1a', '#5b2a86']) {
      const derived = accentColors('dark', color, undefined);
      expect(accentFault(derived?.accent ?? '', 'dark'), color).toBeUndefined();
    }
  });
});

describe('the settings', () => {
  useConfigFolder();

  it('refuse colours with too low a contrast, with the measured ratio', async () => {
    expect(
      await faultsOf({ flags: { 'signin.accentColor': '#FFCC00', 'signin.accentColorDark': '#1d56c4' } }),
    ).toEqual([
      'signin.accentColor (PROOFGATE_SIGNIN_ACCENT_COLOR): expected a contrast of at least 4.5:1 with the backgrounds of the pages in the light theme, got "#FFCC00", which has 1.38:1 on #f4f5f7; choose a darker one',
      'signin.accentColorDark (PROOFGATE_SIGNIN_ACCENT_COLOR_DARK): expected a contrast of at least 4.5:1 with the backgrounds of the pages in the dark theme, got "#1d56c4", which has 2.53:1 on #191e27; choose a lighter one',
    ]);
  });

  it.each(['red', '#fff', '#12345', '#1234567', '#12345g', 'url(x)', '#000000;}'])(
    'refuse %j, which is not a colour',
    async (color) => {
      const [fault = ''] = await faultsOf({ flags: { 'signin.accentColor': color } });
      expect(fault).toContain('expected a colour as #rrggbb');
    },
  );

  it('have no default colour', async () => {
    const { signin } = (await load()).config;
    expect([signin.accentColor, signin.accentColorDark]).toEqual([undefined, undefined]);
  });
});
