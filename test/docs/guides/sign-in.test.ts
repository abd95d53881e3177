import { describeApp } from './support/sign-in-app.ts';

describeApp({
  name: 'Express (TypeScript)',
  missing: undefined,
  files: ['server.ts'],
  start: 'start-express.sh',
  callback: '/callback',
  afterDecline: /^\/callback\?error=access_denied&/,
});
