import { buildBn128 } from 'ffjavascript';
import { groth16 } from 'snarkjs';
import type { LoadContender } from './contender.ts';
import { snarkjsForm } from './proof-set.ts';
import { COORDINATE_ABOVE_P } from './refused-members.ts';

// snarkjs takes its curve from this global if it is set; the curve determines whether threads are used.
const shared = globalThis as { curve_bn128?: Awaited<ReturnType<typeof buildBn128>> | null };

function load(isSingleThread: boolean): LoadContender {
  return async (set) => {
    const former = shared.curve_bn128 ?? null;
    shared.curve_bn128 = null;
    const curve = await buildBn128(isSingleThread);
    shared.curve_bn128 = former;
    return {
      name: isSingleThread ? 'snarkjs-one-thread' : 'snarkjs',
      isPeer: true,
      scope: 'groth16.verify: key and proof from decimal text, without B in the subgroup',
      distinguishesRefusals: false,
      skippedKinds: [COORDINATE_ABOVE_P],
      // Its threads wait for each other, so the processor time of all of them is not the time that a caller
      // waits.
      ...(isSingleThread ? {} : { clock: 'wall' as const }),
      before: () => {
        shared.curve_bn128 = curve;
      },
      prepare: (members) =>
        members.map(snarkjsForm).map(
          ({ proof, publicSignals }) =>
            () =>
              groth16.verify(set.json, publicSignals, proof),
        ),
      close: () => curve.terminate(),
    };
  };
}

/** snarkjs with its defaults: `groth16.verify` with its worker threads. */
export const loadSnarkjs: LoadContender = load(false);

/** snarkjs without worker threads, which is faster for one proof. */
export const loadSnarkjsOneThread: LoadContender = load(true);
