import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAll } from '../audit/audit-writer.ts';
import { countRemoved, removeInBatches } from '../batches.ts';
import type { Driver, Statement } from '../drivers/driver.ts';
import type { LeaseStore, RootEventRow, RootSourceStore, SourceChange } from '../model/store-roots.ts';
import { textColumn } from '../statements/columns.ts';
import {
  addRootEvents,
  advanceRootSource,
  clearRootSource,
  deleteLease,
  deleteRootEventsAbove,
  deleteSourceEvents,
  deleteSourceRoots,
  failRootSource,
  insertRootSource,
  lastRootEvent,
  leaseHolder,
  putLives,
  rootEventsPage,
  rootSource,
  rootSources,
  supersedeOthers,
  sweepRootEvents,
  sweepSourceRoots,
  takeLease,
  toRootEventRow,
  toRootSourceRow,
  withdrawRoots,
} from '../statements/root-sources.ts';
import { putIssuerKey4, putOprfKey4 } from '../statements/worldid4-keys.ts';
import { allOrNothing, writeAll, writeOne } from '../transaction.ts';

const PAGE_ROWS = 500;
const SWEEP_ROWS = 500;

/** Creates the store of root sources over a driver. */
export function createRootSourceStore(driver: Driver, audit: AuditWriter): RootSourceStore {
  const find: RootSourceStore['find'] = async (id) => {
    const [row] = await driver.read(rootSource(id));
    return row === undefined ? undefined : toRootSourceRow(row);
  };
  return {
    find,
    list: async () => (await driver.read(rootSources())).map(toRootSourceRow),
    open: async (source) => {
      const { id, environment, tree, configHash } = source;
      const known = await find(id);
      if (known?.configHash === configHash) return known;
      const args = [id, environment, tree, configHash] as const;
      if (known === undefined) await writeAll(driver, [insertRootSource(...args)]);
      else {
        await auditAll(audit, [clearRootSource(...args), ...withdrawAll(id)], {
          ...{ action: 'root_source.replaced', target: id },
          before: { config_hash: known.configHash },
          after: { config_hash: configHash },
        });
      }
      const opened = await find(id);
      if (opened === undefined) throw new TypeError('expected the state of a source, got none');
      return opened;
    },
    lastEvent: async (id) => {
      const [row] = await driver.read(lastRootEvent(id));
      return row === undefined ? undefined : toRootEventRow(row);
    },
    events: async (id) => {
      const events: RootEventRow[] = [];
      for (;;) {
        const page = (await driver.read(rootEventsPage(id, events.at(-1), PAGE_ROWS))).map(toRootEventRow);
        events.push(...page);
        if (page.length < PAGE_ROWS) return events;
      }
    },
    commit: (change) => allOrNothing(driver, statementsOf(change)),
    fail: async (id, error, providers, now) => {
      await writeAll(driver, [failRootSource(id, error, providers, now)]);
    },
    reset: async (id) => {
      const known = await find(id);
      if (known === undefined) return false;
      const { environment, tree, configHash } = known;
      const statements = [clearRootSource(id, environment, tree, configHash), ...withdrawAll(id)];
      await auditAll(audit, statements, { action: 'root_source.reset', target: id });
      return true;
    },
    sweep: async (source, time) => {
      await removeInBatches(
        (limit) => countRemoved(driver, sweepRootEvents(source.id, time, limit)),
        SWEEP_ROWS,
      );
      if (source.tree !== 'account') return;
      await removeInBatches(
        (limit) => countRemoved(driver, sweepSourceRoots(source, time, limit)),
        SWEEP_ROWS,
      );
    },
  };
}

/** Creates the store of leases over a driver. */
export function createLeaseStore(driver: Driver): LeaseStore {
  return {
    take: async (name, holder, now, until) =>
      (await writeOne(driver, takeLease(name, holder, now, until))) !== undefined,
    release: async (name, holder) => {
      await writeAll(driver, [deleteLease(name, holder)]);
    },
    holder: async (name, now) => {
      const [row] = await driver.read(leaseHolder(name, now));
      return row === undefined ? undefined : textColumn(row[0]);
    },
  };
}

function withdrawAll(id: string): Statement[] {
  return [deleteSourceEvents(id), deleteSourceRoots(id)];
}

/** The guard comes first: every writer of a source waits there for the others. */
function statementsOf(change: SourceChange): Statement[] {
  const { source, progress, now, providers, dropEventsAbove, events, lives, withdrawn } = change;
  const { id, environment, tree } = source;
  const statements = [advanceRootSource(source, progress, now, providers)];
  if (dropEventsAbove !== undefined) statements.push(deleteRootEventsAbove(id, dropEventsAbove));
  statements.push(...addRootEvents(id, events), ...withdrawRoots(source, withdrawn));
  const current = lives.find(({ supersededAt }) => supersededAt === null);
  if (current !== undefined) {
    // Roots of the source get their own times right after; this is the end of roots that others made current.
    statements.push(supersedeOthers(environment, tree, current.root, progress.targetTime ?? now));
  }
  statements.push(...putLives(source, lives));
  statements.push(...change.issuers.map(putIssuerKey4), ...change.oprfKeys.map(putOprfKey4));
  return statements;
}
