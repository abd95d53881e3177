/** The few names of the WebAssembly interface that the engine uses; the types of Node give only some of them. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBufferLike;
  }
  const Module: new (bytes: Uint8Array) => Module;
}
