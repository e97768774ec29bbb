/** The argument NAME of the commands about a member of a team. */

export const memberArgument = {
  name: 'name',
  summary: 'name of the member: small letters, digits and . _ -',
  required: true,
  parse: (text: string): string => text,
} as const;
