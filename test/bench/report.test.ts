import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markdown } from '../../bench/report/markdown.ts';
import { plots } from '../../bench/report/plots.ts';
import { judgeTargets } from '../../bench/report/targets.ts';
import type { Case } from '../../bench/report/types.ts';
import { writeRun } from '../../bench/report/write.ts';
import { proofCase, sampleRun } from './sample-run.ts';

/** Returns the first XML fault of a text without comments and processing instructions, or undefined. */
function xmlFault(text: string): string | undefined {
  const open: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const tag = /^<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*) ?(\/?)>/.exec(rest);
    const data = /^(?:[^<&]|&(?:#\d+|amp|lt|gt|quot);)+/.exec(rest);
    const part = tag ?? data;
    if (!part) return `unreadable at ${rest.slice(0, 40)}`;
    if (data && !tag && open.length === 0) return 'text outside of the root';
    if (tag) {
      const [, slash, name = '', , empty] = tag;
      if (slash && open.pop() !== name) return `</${name}> closes another element`;
      if (!slash && !empty) open.push(name);
    }
    rest = rest.slice(part[0].length);
  }
  return open.length === 0 ? undefined : `<${open.join('><')}> stays open`;
}

describe('plots of a run', () => {
  it('are checked by a function that finds XML faults', () => {
    expect(xmlFault('<a><b/></a>')).toBeUndefined();
    expect(xmlFault('<a><b></a>')).toMatch(/closes another/);
    expect(xmlFault('<a x="1>2"')).toMatch(/unreadable/);
    expect(xmlFault('<a>1 < 2</a>')).toMatch(/unreadable/);
    expect(xmlFault('<a>')).toMatch(/stays open/);
  });

  it('are well-formed SVG with title, axis label with unit, and colours for light and dark', () => {
    const drawn = plots(sampleRun());
    expect(drawn.map((plot) => plot.name)).toEqual([
      'single-proof',
      'batch-size',
      'bad-share',
      'workers',
      'throughput',
      'nullifier-commits',
      'sign-in',
      'refresh',
    ]);
    for (const { svg } of drawn) {
      expect(xmlFault(svg)).toBeUndefined();
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      expect(svg).toContain('<title>');
      expect(svg).toContain('prefers-color-scheme:dark');
      expect(svg).toMatch(/µs per proof|per second/);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it('escape markup in labels', () => {
    const run = { ...sampleRun(), cases: [proofCase('<b>&"x"', [5])] };
    const [plot] = plots(run);
    expect(xmlFault(plot?.svg ?? '<')).toBeUndefined();
    expect(plot?.svg).not.toContain('<b>');
  });

  it('have every figure inside the drawing', () => {
    const outside = plots(sampleRun()).flatMap(({ svg }) => {
      const [, width = '', height = ''] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
      const places = (names: string): number[] =>
        Array.from(svg.matchAll(new RegExp(` (?:${names})="(-?[0-9.]+)"`, 'g')), ([, place]) =>
          Number(place),
        );
      return [
        ...places('x|cx|x1|x2').filter((place) => !(place >= 0 && place <= Number(width))),
        ...places('y|cy|y1|y2').filter((place) => !(place >= 0 && place <= Number(height))),
      ];
    });
    expect(outside).toEqual([]);
  });
});

describe('targets of a run', () => {
  it('judges times relative to the peers, HTTP relative to the engine, and isolation', () => {
    const targets = judgeTargets(sampleRun().cases);
    expect(
      targets.map(({ name, measured, isMet, next }) => [
        name.split(',')[0],
        measured.replace(/ \(least.*/, ''),
        isMet,
        next?.isMet,
      ]),
    ).toEqual([
      ['native-ifma', '0.267', true, true],
      ['native-ifma', '0.444', true, false],
      ['native-ifma', '1/49.2', true, false],
      ['native-avx2', '1/49.2', true, true],
      ['native-avx2', '1/29.5', true, true],
      ['wasm-relaxed', '0.176', true, false],
      ['HTTP', '30 µs', true, false],
      ['HTTP proofs/s of engine proofs/s', '46.5 %', false, false],
      ['HTTP against the engine by processor time per proof', '90 %', true, true],
      ['others lose to a source of bad proofs', '12 %', false, undefined],
      ['a source of bad proofs keeps', '50 %', true, undefined],
    ]);
  });

  it('compares the web entry with snarkjs in the same browser', () => {
    const single = (contender: string, runtime: string, us: number): Case =>
      proofCase(contender, [us], {
        subject: 'library.verify',
        parameters: { inputs: 4, threads: 'one', proofs: 1, runtime },
      });
    const snarkjs = [single('snarkjs', 'chromium', 12_000), single('snarkjs', 'deno', 6000)];
    const judged = (us: number): unknown[] =>
      judgeTargets([...snarkjs, single('wasm', 'chromium', us)]).map(({ isMet }) => isMet);
    expect(judged(1200)).toEqual([true]);
    expect(judged(1201)).toEqual([false]);
  });

  it('omits what did not run', () => {
    expect(judgeTargets([proofCase('native-adx', [400])])).toEqual([]);
  });
});

describe('files of a run', () => {
  it('writes JSON with the samples, and a page and plots drawn from it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'proofgate-bench-'));
    try {
      const run = sampleRun();
      const files = writeRun(run, folder);
      const name = '2026-01-02-0123456789';
      expect(files.slice(0, 2)).toEqual([`${name}.json`, `${name}.md`]);
      expect([...files].sort()).toEqual(readdirSync(folder).sort());
      expect(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))).toEqual(run);
      const page = readFileSync(join(folder, `${name}.md`), 'utf8');
      expect(page).toContain(
        '| `groth16.verify/native-adx/inputs=4/batch=1` | us_per_op | 405 | 400 | 3 | 2.22× | 34.6 % |',
      );
      for (const file of readdirSync(folder).filter((one) => one.endsWith('.svg')))
        expect(page).toContain(`](${file})`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lists exactly the written files, whatever suites ran', () => {
    const { cases } = sampleRun();
    const subjects = [...new Set(cases.map(({ subject }) => subject)), 'service.start'];
    for (const subject of subjects) {
      const folder = mkdtempSync(join(tmpdir(), 'proofgate-bench-'));
      try {
        const own = cases.filter((entry) => entry.subject === subject);
        const files = writeRun({ ...sampleRun(), cases: own }, folder);
        expect([...files].sort(), subject).toEqual(readdirSync(folder).sort());
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  });

  it('prints notes next to the figures that need them', () => {
    const page = markdown(sampleRun(), []);
    expect(page).toContain(
      '| `signin.token/proofgate/connections=16` | ops_per_s | 750 | 800 | 2 | 1.36× |  | **durable writes** |',
    );
    expect(page).toContain('**all state in memory**');
  });

  it('states on the page what was not measured, and why', () => {
    const page = markdown({ ...sampleRun(), notMeasured: { gnark: 'go is not installed' } }, []);
    expect(page).toContain('- gnark not measured: go is not installed');
  });

  it('states on the page when a target is missed', () => {
    const targets = judgeTargets(sampleRun().cases);
    expect(markdown({ ...sampleRun(), targets }, [])).toMatch(
      /\| ≥ 75 % \| 46\.5 % \| \*\*not met\*\* \| ≥ 85 %: \*\*not met\*\* \|/,
    );
  });
});
