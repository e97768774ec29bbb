/** Whether this is the long form of the suite: `npm run test:long` tries more of what is random, and larger files. */

export const isLong = process.env.PAYDESK_TEST_LONG === '1';
