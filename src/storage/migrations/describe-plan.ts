import type { MigrationPlan, PlannedMigration, TableChange, TableChangeKind } from './plan.ts';

/** A plan with the field names of `migrate status --json`. */
export interface PlanJson {
  readonly migrations: readonly {
    readonly version: number;
    readonly name: string;
    readonly summary: string;
    readonly runs_from: number;
    readonly changes: readonly TableChange[];
    readonly estimated_seconds: number;
  }[];
  readonly estimated_seconds: number;
  readonly former_can_start: boolean;
  readonly needs_stop: boolean;
}

const VERBS: Readonly<Record<TableChangeKind, string>> = {
  create_table: 'creates table',
  rebuild_table: 'copies to another shape table',
  add_column: 'adds a column to table',
  drop_table: 'removes table',
  create_index: 'builds index',
  drop_index: 'removes index',
};

/** Returns a plan as JSON; seconds have one decimal. */
export function planToJson({ migrations, seconds, formerCanStart, needsStop }: MigrationPlan): PlanJson {
  return {
    migrations: migrations.map(({ version, name, summary, runsFrom, changes, seconds }) => ({
      version,
      name,
      summary,
      runs_from: runsFrom,
      changes,
      estimated_seconds: rounded(seconds),
    })),
    estimated_seconds: rounded(seconds),
    former_can_start: formerCanStart,
    needs_stop: needsStop,
  };
}

/** Describes a plan for operators, line by line; none if nothing is pending. */
export function describePlan(plan: MigrationPlan): string[] {
  const { isNew, migrations, seconds, formerCanStart, needsStop } = plan;
  if (migrations.length === 0) return [];
  if (isNew) return [`A new store: ${migrations.length} migrations make its tables, in less than a second.`];
  return [
    ...migrations.flatMap(describeMigration),
    `Together: ${duration(seconds)}, by measurements on another machine (src/docs/storage.md).`,
    formerCanStart
      ? 'Afterwards the former release can start again on this store.'
      : 'Afterwards the former release cannot start on this store: the way back is a backup made now.',
    ...(needsStop ? ['Stop all servers before: what they write while a table is copied is lost.'] : []),
    'Make a backup before: proofgate backup FILE; on PostgreSQL pg_dump or pg_basebackup.',
  ];
}

function describeMigration({ version, name, summary, changes, seconds }: PlannedMigration): string[] {
  return [
    `${version} ${name}: ${summary}`,
    ...changes.map((change) => `    ${describeChange(change)}`),
    `    takes ${duration(seconds)}`,
  ];
}

function describeChange({ kind, table, index, rows, blocks }: TableChange): string {
  const name = index === null ? table : `${index} of table ${table}`;
  if (kind === 'create_table') return `${VERBS[kind]} ${name}`;
  const size = `${rows} ${rows === 1 ? 'row' : 'rows'}`;
  return `${VERBS[kind]} ${name} (${size}); ${blocks} wait meanwhile`;
}

function duration(seconds: number): string {
  return seconds < 1 ? 'less than a second' : `about ${Math.round(seconds)} s`;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
