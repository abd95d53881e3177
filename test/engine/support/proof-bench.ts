import type { Verdict, VerdictReceiver, VerifyOptions } from '../../../src/engine/engine.ts';
import type { ProofKey } from '../../../src/engine/queue/work-queues.ts';
import type { ServiceError } from '../../../src/errors/service-error.ts';

/** A key without inputs that is never prepared. */
export function plainKey(keyId: string, maxBatch: number = 64): ProofKey {
  return { keyId, reference: { id: 1, source: 7 }, inputCount: 0, maxBatch };
}

/** A statement without inputs that encodes a number. */
export function statementOf(value: number): Uint8Array {
  const proof = new Uint8Array(256);
  new DataView(proof.buffer).setUint32(0, value);
  return proof;
}

/** Number that a statement encodes. */
export function numberOf(statement: Uint8Array): number {
  return new DataView(statement.buffer, statement.byteOffset).getUint32(0);
}

/** Outcome of each proof, by its number: `true`, `false`, or the code of a refusal or an error. */
export class Answers extends Map<number, boolean | string> implements VerdictReceiver {
  verdict(value: number, { ok, code }: Verdict): void {
    this.#note(value, code ?? ok);
  }

  failed(value: number, { code }: ServiceError): void {
    this.#note(value, code);
  }

  #note(value: number, answer: boolean | string): void {
    if (this.has(value)) throw new Error(`${value} was answered twice`);
    this.set(value, answer);
  }
}

/** Options of a proof from an address and an app. */
export function from(address: string, app = 'app'): VerifyOptions {
  return { source: { address, app } };
}
