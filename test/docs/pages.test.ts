import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings/schema.ts';
import { envName } from '../../src/config/settings/setting.ts';
import { cell, GENERATED, generatedPages } from '../../src/docs/pages.ts';
import { ERRORS } from '../../src/errors/catalogue.ts';
import type { ErrorSpec } from '../../src/errors/spec.ts';
import { METRIC_TABLE, type MetricKey, metricName } from '../../src/observability/metrics/metric-table.ts';

const pages = generatedPages();

function page(name: string): string {
  const text = pages[name];
  if (text === undefined) {
    throw new Error(`expected a generated page ${name}, got none`);
  }
  return text;
}

describe('generated documents', () => {
  it.each(Object.keys(pages))('src/docs/%s equals the output of `npm run docs`', async (name) => {
    const committed = await readFile(new URL(`../../src/docs/${name}`, import.meta.url), 'utf8');
    expect(committed).toBe(page(name));
  });

  it('say in line 1 that they are generated', () => {
    for (const [name, text] of Object.entries(pages)) {
      expect(text.split('\n')[0]).toBe(name.endsWith('.md') ? GENERATED : '{');
    }
  });

  it('list every setting with its variable and its description', () => {
    for (const setting of SETTINGS) {
      expect(page('settings.md')).toContain(`| \`${setting.key}\`<br>\`${envName(setting.key)}\` |`);
      expect(page('settings.md')).toContain(cell(setting.sentence));
    }
  });

  it('list every error code with cause, cure and wire code', () => {
    const rows: [string, ErrorSpec][] = Object.entries(ERRORS);
    for (const [code, spec] of rows) {
      const section = page('errors.md').split(`\n## ${code}\n`)[1]?.split('\n## ')[0] ?? '';
      expect(section, code).toContain(`- Cause: ${spec.cause}`);
      expect(section, code).toContain(`- Cure: ${spec.cure}`);
      expect(section.includes('- Verification, whole request:'), code).toBe(spec.verify !== undefined);
      expect(section.includes('- Verification, one item:'), code).toBe(spec.verifyItem !== undefined);
      expect(section.includes('- Verification, one item of World ID 4.0:'), code).toBe(
        spec.verifyItem4 !== undefined,
      );
      expect(section, code).toContain(spec.verifyItem4?.code ?? '');
      expect(section.includes('- Sign-in and wallet bridge:'), code).toBe(spec.signin !== undefined);
      expect(section, code).toContain(spec.verify?.code ?? '');
      expect(section, code).toContain(spec.verifyItem?.code ?? '');
      expect(section, code).toContain(spec.signin?.code ?? '');
    }
  });

  it('list every metric with its type', () => {
    for (const key of Object.keys(METRIC_TABLE) as MetricKey[]) {
      expect(page('metrics.md')).toContain(`| \`${metricName(key)}\` | ${METRIC_TABLE[key].type} |`);
    }
  });
});
