import type { Durability } from '../driver.ts';
import type { SessionSettings } from './postgres-session.ts';

/**
 * Judges what the settings of a server, as a session of this program sees them, mean for acknowledged writes.
 *
 * `synchronous_commit` decides for how many servers a commit waits: off for none, local for this one, remote_write for
 * the standby's operating system, on for its disk, remote_apply for its visibility
 * (https://www.postgresql.org/docs/15/runtime-config-wal.html).
 */
export function judgeDurability(settings: SessionSettings): Durability {
  const { fsync, fullPageWrites, synchronousCommit, synchronousStandbyNames } = settings;
  const isOff = (value: string | null): boolean => value === 'off';
  const faults = [
    ...(isOff(fsync) ? ['fsync=off: a crash of the server may lose or corrupt everything'] : []),
    ...(isOff(fullPageWrites) ? ['full_page_writes=off: a crash of the server may corrupt pages'] : []),
    ...(isOff(synchronousCommit)
      ? ['synchronous_commit=off: a crash of the server loses acknowledged writes']
      : []),
  ];
  const text = [
    `fsync=${fsync ?? 'unknown'}`,
    `full_page_writes=${fullPageWrites ?? 'unknown'}`,
    `synchronous_commit=${synchronousCommit ?? 'unknown'}`,
    `synchronous_standby_names=${JSON.stringify(synchronousStandbyNames ?? 'unknown')}`,
  ].join(' ');
  return { text, faults, failover: failoverOf(settings) };
}

/** Describes the possible losses at a failover to a standby. */
function failoverOf({
  synchronousCommit,
  synchronousStandbyNames,
}: SessionSettings): NonNullable<Durability['failover']> {
  if (synchronousStandbyNames === null || synchronousCommit === null) {
    return {
      isSafe: false,
      text: 'The server does not say whether a standby confirms each commit: what a failover may lose is unknown.',
    };
  }
  if (synchronousStandbyNames.trim() === '') {
    return {
      isSafe: false,
      text: 'No synchronous standby is named: a failover to a standby may lose the last acknowledged writes.',
    };
  }
  switch (synchronousCommit) {
    case 'off':
    case 'local':
      return {
        isSafe: false,
        text: `synchronous_commit=${synchronousCommit} does not wait for the standby: a failover may lose the last acknowledged writes.`,
      };
    case 'remote_write':
      return {
        isSafe: false,
        text: 'synchronous_commit=remote_write: a failover loses nothing, unless the standby crashes at the same time.',
      };
    default:
      return {
        isSafe: true,
        text: 'A synchronous standby confirms each commit: a failover to it loses nothing that was acknowledged.',
      };
  }
}
