/** Settings for bundlers that do not emit the files of `new URL(…, import.meta.url)`: they bundle these imports instead. */
import relaxed from 'proofgate/wasm/relaxed.wasm';
import scalar from 'proofgate/wasm/scalar.wasm';
import simd from 'proofgate/wasm/simd.wasm';

const FILES = { 'wasm-relaxed': relaxed, 'wasm-simd': simd, 'wasm-scalar': scalar };

// `worker` is the entry proofgate/web-worker, bundled; `mortal` is mortal-worker.mjs.
globalThis.proofgateSettings = {
  module: (arithmetic) => new URL(FILES[arithmetic], location.href),
  worker: () => new Worker('/worker.js', { type: 'module' }),
};
let started = 0;
globalThis.proofgateSettings.mortal = () => {
  started += 1;
  return new Worker(started === 1 ? '/mortal-worker.js' : '/worker.js', { type: 'module' });
};
