import type { Driver } from '../../drivers/driver.ts';
import type { LogoutNoticeStore } from '../../model/store-logout.ts';
import {
  deleteNotice,
  failNotice,
  isNoticeDue,
  postponeNotices,
  takeNotices,
  toLogoutNotice,
} from '../../statements/signin/logout-notices.ts';
import { writeAll } from '../../transaction.ts';

/** Creates the store of logout notices over a driver. */
export function createLogoutNoticeStore(driver: Driver): LogoutNoticeStore {
  return {
    take: async (now, leaseEnd, limit) => {
      // Mostly there is none: a read costs less than a commit.
      if ((await driver.read(isNoticeDue(now))).length === 0) return [];
      const [rows = []] = await writeAll(driver, [takeNotices(now, leaseEnd, limit)]);
      return rows.map(toLogoutNotice);
    },
    remove: async (sid) => {
      await writeAll(driver, [deleteNotice(sid)]);
    },
    failed: async (notice, nextAt) => {
      await writeAll(driver, [failNotice(notice, nextAt), postponeNotices(notice.clientId, nextAt)]);
    },
  };
}
