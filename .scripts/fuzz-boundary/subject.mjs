/** The addon by its path, or one of the WASM modules by its name. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const ARTIFACT = new URL('../../wasm/artifact/', import.meta.url);

/** A module whose functions can be had anew where a trap has spoilt them. */
export async function loadSubject(name) {
  if (name.endsWith('.node')) {
    const functions = createRequire(import.meta.url)(name);
    return { functions, isGlue: () => false, renew: async () => undefined };
  }
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
