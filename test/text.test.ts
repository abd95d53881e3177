import { describe, expect, it } from 'vitest';
import { hasHiddenCharacter, NAME_PATTERN } from '../src/text.ts';

const isName = (text: string): boolean =>
  new RegExp(NAME_PATTERN, 'u').test(text) && !hasHiddenCharacter(text);

describe('a name that people trust as it is shown', () => {
  it('is any visible text', () => {
    for (const name of [
      '',
      "L'Été & Söhne 3 ½",
      '株式会社',
      'משרד',
      'فروشگاه',
      'दुकान',
      '한국',
      '❤️ 👍🏽',
      'a b',
    ]) {
      expect(isName(name), name).toBe(true);
    }
  });

  it('has no control character, none that changes the direction of text, and no invisible one', () => {
    const refused =
      /\p{Cc}|\p{Bidi_Control}|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\ufffb]/u;
    for (let code = 0; code <= 0x10ffff; code++) {
      const text = `a${String.fromCodePoint(code)}b`;
      // Unassigned, and ignorable only in case they are assigned.
      if ((code >= 0xfff0 && code <= 0xfff8) || (code >= 0xd800 && code <= 0xdfff)) continue;
      if (isName(text) === refused.test(text)) expect.fail(`${code.toString(16)} is judged wrong`);
    }
  });
});
