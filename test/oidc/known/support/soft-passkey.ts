/** A passkey in software: a key on P-256 with the answers that browsers send. */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import attestation from './attestation.json' with { type: 'json' };

/** What a page offers for a new passkey. */
export interface Offer {
  readonly url: string;
  readonly challenge: string;
  readonly userHandle: string;
}

/** Faults of an answer. */
export interface Faults {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly id?: string;
  /** Signs with another key. */
  readonly isForged?: boolean;
  /** Attests the passkey: by its own key, or by a certificate, as hardware does. */
  readonly attestedBy?: 'itself' | 'certificate';
}

const USER_PRESENT = 0x01;
const HAS_CREDENTIAL = 0x40;
/** A passkey that is made when it is offered. */
export class SoftPasskey {
  readonly id: string = randomBytes(32).toString('base64url');
  userHandle = '';
  counter = 0;
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
  }

  /** Returns the answer to an offer. */
  make({ challenge, userHandle }: Offer, faults: Faults = {}): Record<string, string> {
    this.userHandle = userHandle;
    const id = Buffer.from(this.id, 'base64url');
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 section 7.1.1)
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const authData = Buffer.concat([
      this.#head(faults, USER_PRESENT | HAS_CREDENTIAL),
      Buffer.alloc(16),
      length,
      id,
      key,
    ]);
    const clientData = this.#clientData('webauthn.create', challenge, faults);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const { attestedBy } = faults;
    const object = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText(attestedBy === undefined ? 'none' : 'packed'),
      cborText('attStmt'),
      this.#statement(signed, attestedBy),
      cborText('authData'),
      cborBytes(authData),
    ]);
    return {
      id: faults.id ?? this.id,
      client_data: clientData.toString('base64url'),
      attestation: object.toString('base64url'),
      user_handle: faults.userHandle ?? userHandle,
    };
  }

  #statement(signed: Buffer, attestedBy: Faults['attestedBy']): Buffer {
    if (attestedBy === undefined) return Buffer.from([0xa0]);
    const { key, certificate } = attestation;
    const isOwn = attestedBy === 'itself';
    const signer = isOwn
      ? this.#key
      : createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' });
    const chain = [cborText('x5c'), Buffer.from([0x81]), cborBytes(Buffer.from(certificate, 'base64'))];
    return Buffer.concat([
      Buffer.from([isOwn ? 0xa2 : 0xa3]),
      cborText('alg'),
      Buffer.from([0x26]),
      cborText('sig'),
      cborBytes(sign('sha256', signed, signer)),
      ...(isOwn ? [] : chain),
    ]);
  }

  /** Returns the answer to a challenge. */
  use(challenge: string, faults: Faults = {}): Record<string, string> {
    this.counter = faults.counter ?? this.counter + 1;
    const clientData = this.#clientData('webauthn.get', challenge, faults);
    const authData = this.#head(faults, USER_PRESENT);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const key = faults.isForged ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : this.#key;
    return {
      id: faults.id ?? this.id,
      client_data: clientData.toString('base64url'),
      authenticator_data: authData.toString('base64url'),
      signature: sign('sha256', signed, key).toString('base64url'),
      user_handle: faults.userHandle ?? this.userHandle,
    };
  }

  #clientData(type: string, challenge: string, faults: Faults): Buffer {
    const { origin = this.#origin, crossOrigin = false } = faults;
    return Buffer.from(JSON.stringify({ type: faults.type ?? type, challenge, origin, crossOrigin }));
  }

  #head({ rpId = new URL(this.#origin).hostname }: Faults, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter]);
  }
}

/** Encodes a short text (RFC 8949 section 3.1). */
function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

/** Encodes up to 65,535 bytes. */
function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
