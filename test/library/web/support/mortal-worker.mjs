/** The worker of the package, except that it dies of the first batch that it gets. */
import 'proofgate/web-worker';

addEventListener('message', ({ data }) => {
  if (data.name === 'verify') throw new Error('this worker dies');
});
