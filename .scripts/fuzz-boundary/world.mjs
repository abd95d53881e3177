/** Known answers (keys, proofs, hashes and signatures) and checks that the subject still agrees with them. */
import { readFileSync } from 'node:fs';

const file = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const hex = (text) => new Uint8Array(Buffer.from(text.replace(/^0x/, ''), 'hex'));
const word = (number) => hex(BigInt(number).toString(16).padStart(64, '0'));
const join = (...parts) => new Uint8Array(Buffer.concat(parts));

/** Returns the verifying key of depth 30 as bytes. */
function keyBytes() {
  const key = file('circuits/semaphore-depth30/verification-key.json');
  const g1 = ([x, y]) => join(word(x), word(y));
  const g2 = ([[x0, x1], [y0, y1]]) => join(word(x1), word(x0), word(y1), word(y0));
  const twist = ['vk_beta_2', 'vk_gamma_2', 'vk_delta_2'].map((name) => g2(key[name]));
  return join(g1(key.vk_alpha_1), ...twist, ...key.IC.map(g1));
}

/** Returns valid members of a batch under that key: 256 bytes of proof, 128 of inputs. */
const members = () =>
  file('test/vectors/semaphore-proofs.json')
    .filter(({ depth }) => depth === 30)
    .map((proof) =>
      join(
        ...['proof', 'merkle_root', 'nullifier_hash', 'signal_hash', 'external_nullifier_hash'].map((name) =>
          hex(proof[name]),
        ),
      ),
    );

export class World {
  key = keyBytes();
  members = members();
  eddsa = file('test/vectors/credential-vectors.json').eddsa[0];
  poseidon = file('test/vectors/credential-vectors.json').poseidon_circomlib.hashes[0];

  constructor(subject) {
    this.subject = subject;
    this.publicKey = hex(this.eddsa.public_key_compressed);
    this.message = word(this.eddsa.message);
    this.signature = hex(this.eddsa.signature);
  }

  /** Registers the keys that the calls refer to. */
  begin() {
    const core = this.subject.functions;
    this.keyHandle = core.prepareKey(this.key);
    this.#sign();
    this.spareKeys = [];
    this.spareSigningKeys = [];
  }

  #sign() {
    this.signingHandle = this.subject.functions.createSigningKey(hex(this.eddsa.seed_hex));
  }

  /**
   * Remembers handles, releases the oldest when there are many, and re-creates those that a call released.
   */
  learn(call, answer, [handle]) {
    const core = this.subject.functions;
    if (call === 'releaseKey' && handle >>> 0 === this.keyHandle) this.keyHandle = core.prepareKey(this.key);
    if (call === 'releaseSigningKey' && handle >>> 0 === this.signingHandle) this.#sign();
    if (call === 'prepareKey' && this.spareKeys.push(answer) > 50) core.releaseKey(this.spareKeys.shift());
    if (call === 'createSigningKey' && this.spareSigningKeys.push(answer) > 50)
      core.releaseSigningKey(this.spareSigningKeys.shift());
  }

  /** Yields every result that is not the known one. */
  *faults(values) {
    const core = this.subject.functions;
    const same = (found, expected) => Buffer.compare(found, expected) === 0;
    const [{ inputs, output }, { message, signature }] = [this.poseidon, this];
    const many = core.poseidonMany(inputs.length, join(...[...inputs, ...inputs].map(word)));
    if (!same(many, join(word(output), word(output)))) yield 'wrong hashes of many afterwards';
    if (!same(core.poseidon(join(...inputs.map(word))), word(output))) yield 'a wrong hash afterwards';
    if (!core.verifySignature(this.publicKey, message, signature))
      yield 'a true signature refused afterwards';
    if (core.verifySignature(this.publicKey, word(1), signature)) yield 'a false signature taken afterwards';
    if (!same(core.sign(this.signingHandle, message), signature)) yield 'another signature afterwards';
    const batch = Array.from({ length: 1 + values.below(9) }, () => {
      const whole = values.pick(this.members);
      const member = Uint8Array.from(whole);
      const place = values.below(member.length);
      if (values.chance(2)) member[place] ^= 1 << values.below(8);
      return { member, isTrue: same(member, whole) };
    });
    const verdicts = core.verifyBatch(
      this.keyHandle,
      join(...batch.map(({ member }) => member)),
      values.seed(),
    );
    for (const [at, { member, isTrue }] of batch.entries()) {
      const [alone] = core.verifyBatch(this.keyHandle, member, values.seed());
      if (alone !== verdicts[at] || (alone === 1) !== isTrue)
        yield `verdicts afterwards: alone ${alone}, in a batch ${verdicts[at]}, true ${isTrue}: ${Buffer.from(member).toString('hex')}`;
    }
  }
}
