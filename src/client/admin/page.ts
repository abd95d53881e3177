/**
 * The operator's dashboard: one page with a view for each entry of its navigation, drawn from the admin API and the metrics with the token that the
 * operator typed. `shell.tsx` has the frame and the addresses, `views/` what fills it.
 */
import { startShell } from './shell.tsx';

startShell(document.querySelector('#dashboard') ?? document.body);
