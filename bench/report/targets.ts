import { threeDigits } from './format.ts';
import { type Bound, percent, shareTarget, target } from './goals.ts';
import { median } from './statistics.ts';
import type { Case, Target } from './types.ts';

const of = (contender: string, batch: number): string =>
  `groth16.verify/${contender}/inputs=4/batch=${batch}`;

const atMost = (value: number, next?: number): Bound => ({
  kind: 'at most',
  value,
  ...(next === undefined ? {} : { next }),
});

/** Our build, the batch size, the peer whose single check is compared, the bound of the time per proof. */
type Row = readonly [ours: string, batch: number, peer: string, bound: Bound];

const ROWS: readonly Row[] = [
  ['native-ifma', 64, 'arkworks', atMost(1 / 30, 1 / 60)],
  ['native-avx2', 64, 'arkworks', atMost(1 / 14, 1 / 22)],
  ['native-avx2', 64, 'gnark', atMost(1 / 10, 1 / 15)],
  ['wasm-relaxed', 64, 'arkworks', atMost(1 / 8, 1 / 12)],
  ['wasm-relaxed', 1, 'mcl-wasm-pairing', atMost(0.25, 0.15)],
  ['wasm-simd', 1, 'mcl-wasm-pairing', atMost(0.4, 0.25)],
];

const PEER_TEXT: Readonly<Record<string, string>> = {
  arkworks: "arkworks' full single check",
  gnark: "gnark's full single check",
  'mcl-wasm-pairing': "mcl-wasm's pairing check",
};

function rowTarget(cases: readonly Case[], [ours, batch, peer, bound]: Row): Target[] {
  const what = batch === 1 ? 'single' : `batch of ${batch}, per proof`;
  const name = `${ours}, ${what}, of ${PEER_TEXT[peer]}`;
  return shareTarget(cases, of(ours, batch), of(peer, 1), name, bound);
}

/** Targets for single native proofs, with the arithmetic that is the fastest for one proof. */
function singleTargets(cases: readonly Case[]): Target[] {
  const bounds = { arkworks: atMost(0.4, 0.27), gnark: atMost(0.6, 0.4) };
  const singles = cases.filter(
    ({ subject, parameters, contender }) =>
      subject === 'groth16.verify' && parameters.batch === 1 && contender.startsWith('native-'),
  );
  const fastest = [...singles].sort((a, b) => median(a.samples) - median(b.samples))[0]?.contender;
  if (fastest === undefined) return [];
  return (['arkworks', 'gnark'] as const).flatMap((peer) =>
    rowTarget(cases, [fastest, 1, peer, bounds[peer]]),
  );
}

/** Selects the cases in which server and client have a core each; all cases if there are none. */
function pinned(cases: readonly Case[]): readonly Case[] {
  const alone = cases.filter(({ parameters }) => parameters.cores === '1');
  return alone.length === 0 ? cases : alone;
}

/** Targets for HTTP against the engine alone: same backend, workers and cores, both in proofs per second. */
function httpTargets(cases: readonly Case[]): Target[] {
  return pinned(cases.filter((entry) => entry.subject === 'http.verify')).flatMap((entry) => {
    const { workers, cores, proofs, connections } = entry.parameters;
    const place = `${entry.contender}, ${workers} worker(s), cores ${cores}`;
    const made: Target[] = [];
    const outside = entry.figures?.outside_us_per_request;
    if (proofs === 1 && outside !== undefined)
      made.push(
        target(
          `HTTP, processor time outside the workers for a request with one proof, ${connections} connections, ${place}`,
          outside,
          atMost(40, 25),
          (value) => `${threeDigits(value)} µs`,
        ),
      );
    const engine = cases.find(
      (other) =>
        other.subject === 'engine.verify' &&
        other.contender === entry.contender &&
        other.parameters.workers === workers &&
        other.parameters.cores === cores,
    );
    if (engine && proofs === 16) {
      const ratio = (100 * median(entry.samples) * Number(proofs)) / median(engine.samples);
      const name = `HTTP proofs/s of engine proofs/s, ${proofs} per request, ${place}`;
      const bound: Bound = { kind: 'at least', value: 75, next: 85 };
      made.push(target(name, ratio, bound, percent));
      const [alone, server] = [engine.figures?.cpu_us_per_proof, entry.figures?.server_us_per_proof];
      if (alone !== undefined && server !== undefined)
        made.push(
          target(
            'HTTP against the engine by processor time per proof',
            (100 * alone) / server,
            bound,
            percent,
          ),
        );
    }
    return made;
  });
}

function isolationTargets(cases: readonly Case[]): Target[] {
  return cases
    .filter(({ subject }) => subject === 'http.isolation')
    .flatMap(({ figures, parameters }) => {
      const place = `${parameters.sources} sources, ${parameters.load_percent} % load, cores ${parameters.cores}`;
      const [lost, kept] = [figures?.others_lost_percent, figures?.bad_kept_percent];
      if (lost === undefined || kept === undefined) return [];
      return [
        target(`others lose to a source of bad proofs, ${place}`, lost, atMost(10), percent),
        target(`a source of bad proofs keeps, ${place}`, kept, { kind: 'at least', value: 40 }, percent),
      ];
    });
}

/** Times of single proofs on one thread as shares of snarkjs', and times to the first verdict of a new process. */
function libraryTargets(cases: readonly Case[]): Target[] {
  const verify = (contender: string): string => `library.verify/${contender}/inputs=4/threads=one/proofs=1`;
  const shares = [
    ['native', 12],
    ['native-snarkjs-entry', 12],
    ['wasm-relaxed', 8],
  ] as const;
  const starts = { native: 150, wasm: 300 } as const;
  return [
    ...shares.flatMap(([ours, times]) =>
      shareTarget(
        cases,
        verify(ours),
        verify('snarkjs'),
        `library, ${ours}, one proof on one thread, of snarkjs`,
        atMost(1 / times),
      ),
    ),
    ...shareTarget(
      cases,
      `${verify('wasm')}/runtime=chromium`,
      `${verify('snarkjs')}/runtime=chromium`,
      'library, web entry, one proof in a page of Chromium, of snarkjs there',
      atMost(1 / 10),
    ),
    ...cases
      .filter(({ subject, contender }) => subject === 'library.cold-start' && contender in starts)
      .map(({ contender, parameters: { runtime }, samples }) =>
        target(
          runtime === undefined
            ? `library, ${contender}, from the start of a process to the first verdict`
            : `library, ${contender}, from a new process or page to the first verdict, ${runtime}`,
          median(samples),
          atMost(starts[contender as keyof typeof starts]),
          (value) => `${threeDigits(value)} ms`,
        ),
      ),
  ];
}

/** Judges the targets whose cases this run has; the others are absent. */
export function judgeTargets(cases: readonly Case[]): Target[] {
  return [
    ...singleTargets(cases),
    ...ROWS.flatMap((row) => rowTarget(cases, row)),
    ...libraryTargets(cases),
    ...httpTargets(cases),
    ...isolationTargets(cases),
  ];
}
