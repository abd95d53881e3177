/** Loads the addon by its path, or one of the WASM modules by its name. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

const ARTIFACT = new URL('../../wasm/artifact/', import.meta.url);

/** Loads a module; `renew` creates a new instance of it after a trap. */
export async function loadSubject(name) {
  if (name.endsWith('.node')) {
    const functions = createRequire(import.meta.url)(name);
    return { functions, isGlue: () => false, renew: async () => undefined };
  }
  // as the engine does: Node 20 needs a flag for relaxed SIMD, later versions warn about the flag
  if (name === 'relaxed' && process.versions.node.startsWith('20.'))
    setFlagsFromString('--experimental-wasm-relaxed-simd');
  const module = new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, ARTIFACT)));
  const subject = { isGlue: (call) => ['default', 'initSync'].includes(call) };
  let instance = 0;
  subject.renew = async () => {
    instance += 1;
    subject.functions = await import(
      `${new URL('proofgate_wasm.js', ARTIFACT)}?${name}&instance=${instance}`
    );
    subject.functions.initSync({ module });
  };
  await subject.renew();
  return subject;
}
