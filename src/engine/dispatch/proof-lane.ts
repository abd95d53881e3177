import { ServiceError } from '../../errors/index.ts';
import type { ProofSource, Verdict, VerdictReceiver } from '../engine.ts';
import type { Share } from '../queue/fair-share-credit.ts';
import { Fifo } from '../queue/fifo.ts';
import type { Suspect } from '../queue/suspected-sources.ts';
import type { WorkRefusal } from '../queue/work.ts';
import type { Row } from '../statement.ts';
import { refusal } from '../verdicts.ts';
import type { KeyReference } from '../worker/task.ts';

/** A proof that waits or runs. */
export interface ProofItem {
  /** Where it waits, or waited before it ran. */
  lane: ProofLane;
  readonly queuedAtMs: number;
  readonly row: Row;
  readonly source: ProofSource | undefined;
  readonly signal: Pick<AbortSignal, 'aborted'> | undefined;
  readonly receiver: VerdictReceiver;
  /** What the receiver knows it by. */
  readonly index: number;
}

/** What the proofs of one verifying key have in common. */
export interface KeyOfProofs {
  readonly keyId: string;
  readonly reference: KeyReference;
  readonly inputCount: number;
  /** Most proofs of a batch: the setting, or what a tray holds. */
  readonly maxBatch: number;
}

/** Lanes that have turns among themselves: those of all good sources, or those of one suspect. */
export class LaneGroup {
  /** Lanes with waiting proofs, the next in turn first. */
  readonly turns: Set<ProofLane> = new Set();
  readonly #lanes = new Map<KeyOfProofs, ProofLane>();
  /** Absent for the good sources. */
  readonly suspect: Suspect | undefined;
  readonly share: Share | undefined;
  waiting = 0;

  constructor(suspect?: Suspect, share?: Share) {
    this.suspect = suspect;
    this.share = share;
  }

  laneOf(key: KeyOfProofs): ProofLane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = new ProofLane(key, this);
      this.#lanes.set(key, lane);
    }
    return lane;
  }
}

/** Proofs that may share a batch: of one key, and either of good sources or of one suspect. */
export class ProofLane {
  readonly key: KeyOfProofs;
  readonly group: LaneGroup;
  readonly waiting: Fifo<ProofItem> = new Fifo();

  constructor(key: KeyOfProofs, group: LaneGroup) {
    this.key = key;
    this.group = group;
  }

  /** Text for logs. */
  get name(): string {
    return `verify ${this.key.keyId}`;
  }
}

/** Answers a proof. To be called once for each. */
export function answerProof({ receiver, index }: ProofItem, verdict: Verdict): void {
  receiver.verdict(index, verdict);
}

/** Ends a proof that gets no verdict. To be called once for each. */
export function refuseProof({ receiver, index }: ProofItem, code: WorkRefusal): void {
  if (code === 'engine.cancelled' || code === 'engine.poison') receiver.verdict(index, refusal(code));
  else receiver.failed(index, new ServiceError(code));
}
