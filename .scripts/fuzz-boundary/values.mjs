/** Generates arguments: mostly of the right type and partly valid, sometimes of any type. */

/** Describes an argument so that it can be recognized in a report. */
export function describe(arg) {
  if (ArrayBuffer.isView(arg)) {
    const kind = Object.prototype.toString.call(arg).slice(8, -1);
    const memory = arg.buffer instanceof SharedArrayBuffer ? ' shared' : '';
    const count = Math.min(arg.byteLength, 48);
    const head = count === 0 ? '' : Buffer.from(arg.buffer, arg.byteOffset, count).toString('hex');
    return `${kind}(${arg.byteLength} at ${arg.byteOffset}${memory}) ${head}`;
  }
  if (typeof arg === 'object' || typeof arg === 'function') return Object.prototype.toString.call(arg);
  return typeof arg === 'string' ? JSON.stringify(arg.slice(0, 40)) : String(arg);
}

/** Returns a view whose buffer was detached. */
function detached(length) {
  const view = new Uint8Array(length);
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

function shrunk(length) {
  const buffer = new ArrayBuffer(length + 64, { maxByteLength: length + 128 });
  const view = new Uint8Array(buffer, 32, length);
  buffer.resize(16);
  return view;
}

const throwing = {
  get length() {
    throw new RangeError('a getter of the caller');
  },
};

export class Values {
  /** Shared memory that another thread writes to. */
  scribbled = new Uint8Array(new SharedArrayBuffer(4096));
  #state;
  #huge;

  constructor(seed, world) {
    this.#state = BigInt(seed) * 2n + 1n;
    this.world = world;
  }

  /** xorshift64*, upper 32 bits. */
  #next() {
    let x = this.#state;
    x ^= x >> 12n;
    x = BigInt.asUintN(64, x ^ (x << 25n));
    x ^= x >> 27n;
    this.#state = x;
    return Number(BigInt.asUintN(64, x * 0x2545f4914f6cdd1dn) >> 32n);
  }

  below(bound) {
    return this.#next() % bound;
  }

  /** Returns true once in `times` on average. */
  chance(times) {
    return this.below(times) === 0;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  random(length) {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  seed() {
    const bytes = this.random(32);
    bytes[0] |= 1;
    return bytes;
  }

  /** Returns an argument of this kind; one in eight has any type. */
  argument(kind) {
    if (this.chance(8)) return this.anything();
    const { world } = this;
    switch (kind) {
      case 'keyHandle':
        return this.chance(5) ? this.number() : world.keyHandle;
      case 'signingHandle':
        return this.chance(5) ? this.number() : world.signingHandle;
      case 'spareKeyHandle':
        return world.spareKeys[0] ?? 0xffff_ffff;
      case 'spareSigningHandle':
        return world.spareSigningKeys[0] ?? 0xffff_ffff;
      case 'width':
        return this.chance(4) ? this.number() : this.pick([2, 3, 4, 8, 12, 16]);
      case 'arity':
        return this.chance(4) ? this.number() : 1 + this.below(16);
      case 'tag':
        return this.pick(['CLAIMS_HASH_V1', 'POSEIDON2+OPRF', '', 'x'.repeat(1000), '\ud800', 'ä\0']);
      case 'arithmetic':
        return this.pick(['ifma', 'avx2', 'adx', 'portable', 'avx2-emulated', 'wasm-simd', 'none', '']);
      default:
        return this.placed(this.content(kind));
    }
  }

  /** Returns the bytes of a kind; some have flipped bits or another length. */
  content(kind) {
    const bytes = this.#valid(kind);
    for (let times = this.below(4); times > 0 && bytes.length > 0 && this.chance(2); times -= 1)
      bytes[this.below(bytes.length)] ^= 1 << this.below(8);
    if (!this.chance(6)) return bytes;
    const cut = bytes.subarray(0, this.below(bytes.length + 1));
    return this.chance(2) ? cut : Uint8Array.from([...bytes, ...this.random(1 + this.below(40))]);
  }

  /** Returns valid bytes of a kind. */
  #valid(kind) {
    const { world } = this;
    switch (kind) {
      case 'key':
        return Uint8Array.from(world.key);
      case 'batch': {
        const parts = Array.from({ length: this.below(5) }, () =>
          this.chance(4) ? this.random(384) : this.pick(world.members),
        );
        return Uint8Array.from(Buffer.concat(parts));
      }
      case 'seed':
        return this.chance(20) ? new Uint8Array(32) : this.random(32);
      case 'bytes32':
        return this.random(32);
      case 'publicKey':
        return Uint8Array.from(world.publicKey);
      case 'message':
        return Uint8Array.from(world.message);
      case 'signature':
        return Uint8Array.from(world.signature);
      case 'inputs':
      case 'elements': {
        const bytes = this.random(32 * this.below(kind === 'inputs' ? 18 : 33));
        // most elements are below the modulus
        for (let at = 0; at < bytes.length; at += 32) if (!this.chance(20)) bytes[at] &= 0x1f;
        return bytes;
      }
      default:
        return this.random(this.below(600));
    }
  }

  /** Puts the bytes into some kind of memory: shared, resizable, detached, shrunk, or plain. */
  placed(bytes) {
    const inside = (buffer) => {
      const at = this.below(32);
      const view = new Uint8Array(buffer, at, bytes.length);
      view.set(bytes);
      return view;
    };
    const room = bytes.length + 32;
    switch (this.below(12)) {
      case 0:
        return inside(new SharedArrayBuffer(room));
      case 1:
        return inside(new ArrayBuffer(room));
      case 2:
        return Buffer.from(bytes);
      case 3:
        return inside(new ArrayBuffer(room, { maxByteLength: 2 * room }));
      case 4:
        return inside(new SharedArrayBuffer(room, { maxByteLength: 2 * room }));
      case 5:
        return detached(bytes.length);
      case 6:
        return shrunk(bytes.length);
      case 7:
        return bytes.length > this.scribbled.length ? bytes : this.scribbled.subarray(0, bytes.length);
      default:
        return bytes;
    }
  }

  number() {
    return this.pick([
      0,
      1,
      2,
      -1,
      3.7,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      2 ** 53,
      1e300,
      Number.NaN,
      -Infinity,
      -0,
    ]);
  }

  /** Returns a view far longer than any valid argument, whose length is not a multiple of 32. */
  #long() {
    this.#huge ??= new Uint8Array(2 ** 28 + 1);
    return this.#huge.subarray(2 + this.below(30));
  }

  /** Returns a value of any type. */
  anything() {
    const length = this.below(70);
    switch (this.below(24)) {
      case 0:
        return this.pick([undefined, null, true, false]);
      case 1:
        return this.number();
      case 2:
        return this.pick([0n, -1n, 2n ** 64n]);
      case 3:
        return this.pick(['', '32', 'a'.repeat(length), '\udc00']);
      case 4:
        return Symbol('odd');
      case 5:
        return Array.from(this.random(length));
      case 6:
        return this.pick([{ length }, { length: -5 }, { length: Number.NaN }, { length: '7' }, {}, throwing]);
      case 7:
        return () => length;
      case 8:
        return new ArrayBuffer(length);
      case 9:
        return new SharedArrayBuffer(length);
      case 10:
        return new DataView(new ArrayBuffer(length));
      case 11:
        return new Float64Array(length);
      case 12:
        return new Uint16Array(length);
      case 13:
        return new BigUint64Array(length);
      case 14:
        return new Int8Array(length);
      case 15:
        return new Uint8ClampedArray(length);
      case 16:
        return new Proxy(new Uint8Array(length), {});
      case 17:
        return Object.create(Uint8Array.prototype);
      case 18:
        return new (class extends Uint8Array {})(length);
      case 19:
        return detached(length);
      case 20:
        return shrunk(length);
      case 21:
        return new Uint8Array(0);
      case 22:
        return new Map([[0, length]]);
      default:
        return this.chance(40) ? this.#long() : this.random(2000);
    }
  }

  /** Returns a function that tells whether the argument is unchanged; a seed may have been wiped instead. */
  snapshot(arg) {
    const isComparable =
      ArrayBuffer.isView(arg) &&
      arg.byteLength > 0 &&
      arg.byteLength < 1e6 &&
      arg.buffer !== this.scribbled.buffer;
    if (!isComparable) return () => true;
    const bytesOf = () => Buffer.from(arg.buffer, arg.byteOffset, arg.byteLength);
    const before = Buffer.from(bytesOf());
    return (isWiped) => {
      const now = bytesOf();
      return before.equals(now) || (isWiped && now.every((byte) => byte === 0));
    };
  }
}
