import type { Case, RunRecord } from '../../bench/report/types.ts';

/** Makes a case of `groth16.verify`, by default with one proof per batch. */
export function proofCase(contender: string, samples: readonly number[], change: Partial<Case> = {}): Case {
  return {
    subject: 'groth16.verify',
    contender,
    parameters: { inputs: 4, batch: 1 },
    unit: 'us_per_op',
    isPeer: false,
    samples,
    ...change,
  };
}

/** Makes a run with cases for every plot and target, with invented figures. */
export function sampleRun(): RunRecord {
  const rate = (
    subject: string,
    parameters: Case['parameters'],
    samples: readonly number[],
    contender = 'native',
  ): Case => ({ subject, contender, parameters, unit: 'ops_per_s', isPeer: false, samples });
  const cases = [
    proofCase('native-adx', [410, 400, 405]),
    ...['native-ifma', 'native-avx2'].map((name) =>
      proofCase(name, [30, 31], { parameters: { inputs: 4, batch: 64 } }),
    ),
    proofCase('native-ifma', [400], { parameters: { inputs: 4, batch: 1 } }),
    proofCase('wasm-relaxed', [600, 610, 590]),
    proofCase('mcl-wasm-pairing', [3500, 3300, 3400], { isPeer: true }),
    proofCase('arkworks', [1500, 1490, 1510], { isPeer: true }),
    proofCase('gnark', [900], { isPeer: true }),
    ...[0, 10, 100].map((share) =>
      proofCase('native-ifma', [30 + share], {
        subject: 'groth16.verify-bad',
        parameters: { inputs: 4, batch: 64, bad_percent: share },
      }),
    ),
    ...[
      ['valid', 'combined', 30],
      ['valid', 'singly', 90],
      ['false', 'combined', 123],
      ['false', 'singly', 93],
    ].map(([members = '', check = '', time]) =>
      proofCase('native-ifma', [Number(time)], {
        subject: 'groth16.verify-kind',
        parameters: { inputs: 4, batch: 64, members, check },
      }),
    ),
    proofCase('snarkjs', [14000, 15000, 14500], { isPeer: true }),
    ...[1, 2].map((workers) => rate('engine.verify', { inputs: 4, workers }, [2000 * workers])),
    {
      ...rate('engine.verify', { inputs: 4, workers: 1, cores: '1' }, [2000, 2100, 2200]),
      figures: { cpu_us_per_proof: 450 },
    },
    {
      ...rate('http.verify', { proofs: 1, connections: 64, workers: 1, cores: '1' }, [1400, 1470, 1500]),
      figures: { outside_us_per_request: 30 },
    },
    {
      ...rate('http.isolation', { sources: 8, load_percent: 75, cores: '1' }, [500]),
      figures: { others_lost_percent: 12, bad_kept_percent: 50 },
    },
    {
      ...rate('http.verify', { proofs: 16, connections: 16, workers: 1, cores: '1' }, [60, 61, 62]),
      figures: { server_us_per_proof: 500 },
    },
    ...[1, 8, 64].map((concurrency) =>
      rate('nullifier.commit', { concurrency }, [1000 * concurrency], 'libsql'),
    ),
    { ...rate('signin.token', { connections: 16 }, [700, 800], 'proofgate'), note: 'durable writes' },
    rate('engine.refresh', { package: 'with', workers: 1, cores: '1' }, [500]),
    rate('refresh.issue', { package: 'with', connections: 16, workers: 1, cores: '1' }, [300, 310]),
    {
      ...rate('signin.token', { connections: 16 }, [500, 600], 'node-oidc-provider'),
      isPeer: true,
      note: 'all state in memory',
    },
  ];
  return {
    schema: 1,
    date: '2026-01-02T03:04:05.000Z',
    commit: '0123456789',
    isDirty: false,
    mode: 'quick',
    machine: {
      cpu: 'Test <CPU> & more',
      cores: 2,
      flags: ['adx'],
      memoryGib: 4,
      kernel: '6.1',
      fileSystem: 'ext4',
      loadBefore: 0.5,
    },
    versions: { node: '20.0.0' },
    settings: { rounds: 3 },
    durationSeconds: 60,
    cases,
    targets: [],
  };
}
