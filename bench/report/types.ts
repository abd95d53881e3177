/** Units of a case's samples; the column of a table carries it. */
export type Unit = 'us_per_op' | 'ops_per_s' | 'ms' | 'mib';

/** One measured case: a subject (what is done), a contender (who does it) and the parameters of the run. */
export interface Case {
  /** `groth16.verify`, `http.verify`, … */
  readonly subject: string;
  /** `native`, `wasm`, `snarkjs`, … */
  readonly contender: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly unit: Unit;
  /** Whether the contender is another library, which ours are compared with. */
  readonly isPeer: boolean;
  /** Raw samples in `unit`, in the order of measuring where the tool keeps it. */
  readonly samples: readonly number[];
  /** Further figures of the run; the unit is part of the key (`p99_ms`). */
  readonly figures?: Readonly<Record<string, number>>;
  /** What must be known beside the figures: durability, work that differs from the peers'. */
  readonly note?: string;
}

/** A performance target: what it requires, and what this run measured. */
export interface Target {
  readonly name: string;
  readonly required: string;
  readonly measured: string;
  readonly isMet: boolean;
  /** The goal behind this one, and whether it is reached already. */
  readonly next?: { readonly required: string; readonly isMet: boolean };
}

/** The machine as far as it matters for the figures; nothing that names it. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly flags: readonly string[];
  readonly memoryGib: number;
  readonly kernel: string;
  /** Kind of the file system that the databases of the run lay on. */
  readonly fileSystem: string;
  /** One-minute load average before the run: what else the machine was doing. */
  readonly loadBefore: number;
}

/** Everything one run wrote down; tables and plots are drawn from it and from nothing else. */
export interface RunRecord {
  readonly schema: 1;
  readonly date: string;
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly isDirty: boolean;
  readonly mode: 'quick' | 'full';
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly durationSeconds: number;
  /** The arithmetic that a service takes by itself: `native-ifma`, `wasm-relaxed`, … Absent in older files. */
  readonly chosen?: Readonly<Partial<Record<'native' | 'wasm', string>>>;
  /** Contenders that this machine could not measure, and why. Absent in older files. */
  readonly notMeasured?: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
  readonly targets: readonly Target[];
}
