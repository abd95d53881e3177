import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf, folder, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>';
const MAGIC = {
  'image/png': Buffer.from('89504e470d0a1a0a00', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe000', 'hex'),
  'image/webp': Buffer.concat([Buffer.from('RIFF0000WEBP', 'latin1'), Buffer.alloc(4)]),
};
const NAME = 'signin.logoFile (PROOFGATE_SIGNIN_LOGO_FILE): "logo"';

async function faultOf(content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, 'logo'), content);
  const faults = await faultsOf({ flags: { 'signin.logoFile': 'logo' } });
  expect(faults).toHaveLength(1);
  return faults[0] ?? '';
}

describe('the logo of the pages', () => {
  it.each(Object.entries(MAGIC))('is recognized as %s by its first bytes', async (contentType, bytes) => {
    await writeFile(join(folder, 'logo'), bytes);
    const { config, values } = await load({ flags: { 'signin.logoFile': 'logo' } });
    expect(config.signin.logo?.contentType).toBe(contentType);
    expect(Buffer.from(config.signin.logo?.bytes ?? []).equals(bytes)).toBe(true);
    expect(values['signin.logoFile']).toBe('logo');
  });

  it.each([
    SVG,
    `\ufeff${SVG}`,
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand - twice -->\n${SVG}`,
    SVG.replace('<rect', '<style>rect{fill:#123456}</style><rect'),
  ])('is recognized as an SVG: %s', async (content) => {
    await put('logo', content);
    const { config } = await load({ flags: { 'signin.logoFile': 'logo' } });
    expect(config.signin.logo?.contentType).toBe('image/svg+xml');
  });

  it('is undefined when no file is configured', async () => {
    expect((await load()).config.signin.logo).toBeUndefined();
  });

  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script', '<svg:script href="x.js"/>'],
    ['a foreignObject', '<foreignObject><p>x</p></foreignObject>'],
    ['an event handler', '<rect onload="alert(1)"/>'],
    ['a javascript: address', '<a href="javascript:alert(1)"/>'],
    ['an address of another server', '<image href="https://evil.example/x.png"/>'],
    ['an address of another server', '<use xlink:href="//evil.example/x.svg#a"/>'],
  ])('is refused with %s in an SVG: %s', async (name, inside) => {
    expect(await faultOf(SVG.replace('<rect', `${inside}<rect`))).toBe(
      `${NAME}: expected an SVG that is only a picture, got one with ${name}   from flag`,
    );
  });

  it('is refused with a document type or an entity', async () => {
    const bomb = `<!DOCTYPE svg [<!ENTITY a "a">]>${SVG}`;
    expect(await faultOf(bomb)).toContain('expected a PNG, JPEG, WebP or SVG');
    expect(await faultOf(SVG.replace('<rect', '<!ENTITY a "a"><rect'))).toContain(
      'a document type or an entity',
    );
  });

  it.each(['', 'GIF89a', '<html><svg></svg></html>', '<svgx/>', 'not a picture'])(
    'is refused when it is not an image: %j',
    async (content) => {
      expect(await faultOf(content)).toBe(
        `${NAME}: expected a PNG, JPEG, WebP or SVG, got other content   from flag`,
      );
    },
  );

  it('is refused above 64 KiB, and when it cannot be read', async () => {
    const large = Buffer.concat([MAGIC['image/png'], Buffer.alloc(65_536)]);
    expect(await faultOf(large)).toBe(
      `${NAME}: expected at most 65536 bytes, got ${large.length}   from flag`,
    );
    const [fault = ''] = await faultsOf({ flags: { 'signin.logoFile': 'gone' } });
    expect(fault).toMatch(/"gone": cannot be read: ENOENT/);
  });
});
