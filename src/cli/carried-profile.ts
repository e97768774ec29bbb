/** The profile that was typed, carried into the commands that an error names: without it they go to another account. */

import { CliError } from '../errors.ts';

// Commands about an account that they are not told by an id of the journal, or by the name of a profile.
const aboutAccount =
  /\bpaydesk (?=(?:orders|customers|checkout|api|journal list)\b(?!.*--(?:help|all-profiles)\b)|profile (?:show|check)$)/g;

/** The error, its commands with `-p`; as it is where no profile was typed. Commands that name one are left alone. */
export function withProfile(error: CliError, profile: string | undefined): CliError {
  const { now } = error.parts;
  if (profile === undefined || now === undefined) return error;
  const carried = new CliError(error.kind, error.message, {
    ...error.parts,
    now: now.map((line) => line.replace(aboutAccount, `paydesk -p ${profile} `)),
  });
  if (error.stack !== undefined) carried.stack = error.stack;
  return carried;
}
