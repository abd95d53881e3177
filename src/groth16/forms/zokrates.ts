/** Forms of ZoKrates (zokrates_proof_systems/src/scheme/groth16.rs): numbers as 0x and hex digits, of G2 c0 before c1. */
import type { JsonObject } from '../../json.ts';
import { PointCollector } from '../found.ts';
import { FormError, quoted } from '../layout.ts';
import { addInputPoints, checkCurve, nameInArray } from './snarkjs.ts';

const HEAD = ['alpha', 'beta', 'gamma', 'delta'] as const;

/** Refuses another proof system by its name. @throws FormError with `code` */
export function checkScheme(scheme: unknown, code: 'proof.form' | 'key.protocol'): void {
  if (scheme !== undefined && scheme !== 'g16')
    throw new FormError(code, 'scheme', `expected "g16" (Groth16), got ${quoted(scheme)}`);
}

/** Finds the points of a key: `alpha`, `beta`, `gamma`, `delta`, `gamma_abc`. @throws FormError */
export function zokratesKey(file: JsonObject): PointCollector {
  checkScheme(file.scheme, 'key.protocol');
  checkCurve(file.curve, 'key.protocol');
  const points = new PointCollector('key.not_json', (point, coordinate, part) => {
    const name = HEAD[point] ?? `gamma_abc[${point - HEAD.length}]`;
    return nameInArray(name, point > 0 && point < HEAD.length, coordinate, part);
  });
  points.g1(file.alpha, 'alpha');
  for (const name of ['beta', 'gamma', 'delta']) points.g2(file[name], name);
  addInputPoints(points, file.gamma_abc, 'gamma_abc');
  return points;
}
