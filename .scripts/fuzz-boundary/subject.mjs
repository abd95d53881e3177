/** Loads the addon by its path, or one of the WASM modules by its name. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { instantiate } from '../../wasm/artifact/proofgate_wasm.js';

const ARTIFACT = new URL('../../wasm/artifact/', import.meta.url);

/** Loads a module; `renew` creates a new instance of it after a trap. */
export function loadSubject(name) {
  if (name.endsWith('.node')) {
    const functions = createRequire(import.meta.url)(name);
    return { functions, renew: () => undefined };
  }
  // as the engine does: Node 20 needs a flag for relaxed SIMD, later versions warn about the flag
  if (name === 'relaxed' && process.versions.node.startsWith('20.'))
    setFlagsFromString('--experimental-wasm-relaxed-simd');
  const module = new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, ARTIFACT)));
  const subject = {};
  subject.renew = () => {
    const { memory: _, ...functions } = instantiate(module);
    subject.functions = functions;
  };
  subject.renew();
  return subject;
}
