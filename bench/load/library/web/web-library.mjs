// The web entry of the installed package, or snarkjs without workers, in Chromium, Deno and Bun. Loads only the library
// that is asked for, as a program of a user does.
import { libraryCalls, onePerCall } from '../library-calls.ts';

const version = /(?:Chrome|Deno|Bun)\/[\d.]+/.exec(navigator.userAgent)?.[0];

async function load(library, key) {
  if (library === 'proofgate/web') {
    const { createEngine } = await import('proofgate/web');
    const engine = await createEngine();
    await engine.addKey('key', key);
    return {
      remark: `${engine.stats().arithmetic}, ${version}`,
      verify: async ({ proof, publicSignals }) => (await engine.verify('key', proof, publicSignals)).valid,
      verifyMany: async (statements) =>
        (await engine.verifyMany('key', statements)).filter(({ valid }) => valid).length,
    };
  }
  const [{ groth16 }, { buildBn128 }] = await Promise.all([import('snarkjs'), import('ffjavascript')]);
  // snarkjs takes its curve from this global if it is set. Its package for workers fails in Deno and Bun.
  globalThis.curve_bn128 = await buildBn128(true);
  return {
    ...onePerCall(({ proof, publicSignals }) => groth16.verify(key, publicSignals, proof)),
    remark: version,
  };
}

// A page has no processor time.
const usage = globalThis.process?.cpuUsage;

/** Calls of the library, as library-process.ts answers them in Node. */
export const calls = libraryCalls(
  load,
  usage &&
    (() => {
      const { user, system } = usage.call(globalThis.process);
      return (user + system) / 1000;
    }),
);
