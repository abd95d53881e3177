/** Checks a state of a page in both themes and at three widths, and on request takes screenshots. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const INSPECTION = readFileSync(new URL('inspect-page.js', import.meta.url), 'utf8');
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
/** Ends what a change of theme or state still animates: its colours are of neither state. */
export const END_TRANSITIONS: string =
  'for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()';
const PICTURES = process.env.PROOFGATE_SCREENSHOTS;
const WIDTHS = [1000, 400, 320];

/**
 * Expects that the current state of a page does not overflow at 1000, 400 and 320 pixels, and that contrast,
 * targets and control names are sufficient, in the light and the dark theme. Screenshots go to the folder in
 * the environment variable PROOFGATE_SCREENSHOTS, if it is set.
 */
export async function expectAccessibleLayout(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(END_TRANSITIONS);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const where = `${name} in ${colorScheme} at ${width} px`;
      expect(await page.evaluate(OVERFLOW), `overflow of ${where}`).toBeLessThanOrEqual(0);
      expect(await page.evaluate(INSPECTION), where).toEqual([]);
      await takePicture(page, `${name}-${colorScheme}-${width}`);
    }
  }
  await page.setViewportSize({ width: 1000, height: 900 });
}

/** Takes a screenshot of a page if the environment variable PROOFGATE_SCREENSHOTS names a folder. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true, caret: 'initial' });
}
