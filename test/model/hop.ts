/**
 * The hop between a desk and two senders with one journal: every interleaving of what is handed over, lost, late, handed over again
 * and taken back, while any of them is killed. What one sender does with its order is the other model's part: here an order is
 * refunded whenever a new id asks for it, so nothing but the ids keeps a refund from being made twice.
 */

/** The rules of the hop, each of which can be dropped to see that it is needed. */
export interface HopRules {
  /** The desk writes the id down before it hands it over. */
  readonly idIsWritten: boolean;
  /** An id of an earlier run may have been handed over: it is asked about before there is a new one. */
  readonly oldIdsAreAsked: boolean;
  /** That a sender does not know an id proves nothing: only a closed one was certainly not sent. */
  readonly unknownProvesNothing: boolean;
  /** After two hand-overs a refusal ends nothing before the id is closed. */
  readonly refusalsAreClosed: boolean;
  /** The journal takes one SENT row of an id. */
  readonly idsAreUnique: boolean;
  /** While no other sender records, a closed id is refused. */
  readonly closedIsChecked: boolean;
  /** While no other sender records, an id is looked up and closed. */
  readonly closesAlone: boolean;
}

export const hopDesign: HopRules = {
  idIsWritten: true,
  oldIdsAreAsked: true,
  unknownProvesNothing: true,
  refusalsAreClosed: true,
  idsAreUnique: true,
  closedIsChecked: true,
  closesAlone: true,
};

/** How often what may happen happens at most. */
export interface HopBudget {
  readonly runs: number;
  readonly breaks: number;
  readonly deskKills: number;
  readonly senderKills: number;
}

/** A request on its way, or at a sender. Nobody hears the reply to one whose connection broke. */
interface Request {
  readonly sender: 0 | 1;
  readonly what: 'over' | 'withdraw';
  readonly id: number;
  readonly isHeard: boolean;
}

interface Handled extends Request {
  readonly at: 'look' | 'record' | 'post' | 'verdict' | 'close' | 'closing';
}

interface Run {
  readonly id: number;
  /** Of an earlier run. */
  readonly isOld: boolean;
  readonly handedOver: number;
  readonly at: 'over' | 'withdraw' | 'listens';
}

interface HopWorld {
  readonly run: Run | null;
  readonly noted: number | null;
  readonly ids: number;
  readonly onTheirWay: readonly Request[];
  readonly handled: readonly Handled[];
  /** Rows of the journal, such as `1 sent`, `1 made`, `1 not made`, `1 closed`. */
  readonly rows: readonly string[];
  /** The ids of the refunds that the service has made. */
  readonly made: readonly number[];
  /** The ids of which a desk has said that nothing was sent, and that the refund was made. */
  readonly saidNothing: readonly number[];
  readonly saidMade: readonly number[];
  readonly left: HopBudget;
}

interface Move {
  readonly name: string;
  readonly world: HopWorld;
}

const senders = [0, 1] as const;
const mostHandedOver = 2;

/** Follows every state that can be reached. `violation`: the first one, with the moves that lead there. */
export function exploreHop(rules: HopRules, budget: HopBudget) {
  const start: HopWorld = {
    run: null,
    noted: null,
    ids: 0,
    onTheirWay: [],
    handled: [],
    rows: [],
    made: [],
    saidNothing: [],
    saidMade: [],
    left: budget,
  };
  const seen = new Map<string, { readonly from: string | undefined; readonly name: string }>();
  seen.set(JSON.stringify(start), { from: undefined, name: 'start' });
  for (const key of seen.keys()) {
    const world = JSON.parse(key) as HopWorld;
    const what = violationIn(world);
    if (what !== undefined) return { states: seen.size, violation: { what, path: pathTo(key, seen) } };
    for (const { name, world: next } of moves(world, rules)) {
      const reached = JSON.stringify(sorted(next));
      if (!seen.has(reached)) seen.set(reached, { from: key, name });
    }
  }
  return { states: seen.size, violation: undefined };
}

function violationIn({ made, rows, saidNothing, saidMade }: HopWorld): string | undefined {
  if (made.length > 1) return 'double';
  if (made.some((id) => !rows.includes(`${id} sent`))) return 'lost';
  if (made.some((id) => saidNothing.includes(id))) return 'false: nothing was sent';
  return saidMade.every((id) => made.includes(id)) ? undefined : 'false: made';
}

function pathTo(end: string, seen: ReadonlyMap<string, { readonly from: string | undefined; name: string }>) {
  const path: string[] = [];
  for (let at = seen.get(end); at?.from !== undefined; at = seen.get(at.from)) path.unshift(at.name);
  return path;
}

// Requests have no order among themselves.
function sorted(world: HopWorld): HopWorld {
  const byText = <One>(found: readonly One[]) =>
    found.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  const { onTheirWay, handled, rows } = world;
  return { ...world, onTheirWay: byText(onTheirWay), handled: byText(handled), rows: byText(rows) };
}

function moves(world: HopWorld, rules: HopRules): readonly Move[] {
  const { run, onTheirWay, left } = world;
  const arrive = onTheirWay.map((request, at) => ({
    name: `${request.what} ${request.id} arrives at sender ${request.sender}`,
    world: {
      ...world,
      onTheirWay: onTheirWay.toSpliced(at, 1),
      handled: [...world.handled, { ...request, at: request.what === 'over' ? 'look' : 'close' } as const],
    },
  }));
  const handle = world.handled.flatMap((one, at) => handleMoves(world, rules, one, at));
  const killed = senders
    .filter((sender) => left.senderKills > 0 && world.handled.some((one) => one.sender === sender))
    .map((sender) => ({
      name: `sender ${sender} is killed`,
      world: {
        ...spend(world, 'senderKills'),
        handled: world.handled.filter((one) => one.sender !== sender),
      },
    }));
  return [
    ...arrive,
    ...handle,
    ...killed,
    ...(run === null ? typed(world, rules) : deskMoves(world, rules, run)),
  ];
}

// ── The desk ──────────────────────────────────────────────────────────────────────────────────────

// Whoever has not heard that it was made types the same command again.
function typed(world: HopWorld, rules: HopRules): readonly Move[] {
  if (world.left.runs === 0 || world.saidMade.length > 0) return [];
  const begun = spend(world, 'runs');
  const { noted } = world;
  if (noted === null || !rules.oldIdsAreAsked)
    return [{ name: 'the command is typed', world: withNewId(begun, rules) }];
  const run: Run = { id: noted, isOld: true, handedOver: 1, at: 'withdraw' };
  return [{ name: `the command is typed: ${noted} is asked about`, world: { ...begun, run } }];
}

function withNewId(world: HopWorld, rules: HopRules): HopWorld {
  const id = world.ids + 1;
  const run: Run = { id, isOld: false, handedOver: 0, at: 'over' };
  return { ...world, ids: id, noted: rules.idIsWritten ? id : null, run };
}

function deskMoves(world: HopWorld, rules: HopRules, run: Run): readonly Move[] {
  const { left, onTheirWay, handled } = world;
  const killed =
    left.deskKills > 0
      ? [{ name: 'the desk is killed', world: hungUp(spend(world, 'deskKills'), null) }]
      : [];
  if (run.at === 'listens') {
    const after = (at: 'over' | 'withdraw') => ({ ...run, at });
    const ways =
      run.isOld || run.handedOver >= mostHandedOver ? ['withdraw' as const] : (['over', 'withdraw'] as const);
    const isSilent = ![...onTheirWay, ...handled].some(({ isHeard }) => isHeard);
    const broken = isSilent ? world : left.breaks > 0 ? spend(world, 'breaks') : undefined;
    if (broken === undefined) return killed;
    return [
      ...killed,
      ...ways.map((at) => ({ name: 'the connection breaks', world: hungUp(broken, after(at)) })),
    ];
  }
  const handedOver = run.handedOver + (run.at === 'over' ? 1 : 0);
  const ask = senders.map((sender) => {
    const request: Request = {
      sender,
      what: run.at === 'over' ? 'over' : 'withdraw',
      id: run.id,
      isHeard: true,
    };
    const next: Run = { ...run, handedOver, at: 'listens' };
    return {
      name: `${request.what} ${run.id} leaves for sender ${sender}`,
      world: { ...world, run: next, onTheirWay: [...onTheirWay, request] },
    };
  });
  const noWay =
    left.breaks === 0
      ? []
      : [
          {
            name: 'there is no connection',
            world:
              run.handedOver === 0
                ? saysNothing(spend(world, 'breaks'), run.id)
                : hungUp(spend(world, 'breaks'), null),
          },
        ];
  const proofs =
    rules.unknownProvesNothing || run.at === 'over'
      ? []
      : senders.filter((sender) => !knows(world, sender, run.id));
  const proved = proofs.map((sender) => ({
    name: `sender ${sender} does not know ${run.id}`,
    world: saysNothing(world, run.id),
  }));
  return [...killed, ...ask, ...noWay, ...proved];
}

function knows({ rows, handled }: HopWorld, sender: number, id: number): boolean {
  return (
    rows.some((row) => row.startsWith(`${id} `)) ||
    handled.some((one) => one.sender === sender && one.id === id)
  );
}

// Nobody listens to what is under way.
function hungUp(world: HopWorld, run: Run | null): HopWorld {
  const unheard = <One extends Request>(found: readonly One[]) =>
    found.map((one) => ({ ...one, isHeard: false }));
  return { ...world, run, onTheirWay: unheard(world.onTheirWay), handled: unheard(world.handled) };
}

function saysNothing(world: HopWorld, id: number): HopWorld {
  return { ...hungUp(world, null), noted: null, saidNothing: [...world.saidNothing, id] };
}

// What the desk does with an answer.
function hears(
  world: HopWorld,
  rules: HopRules,
  answer: 'made' | 'refused' | 'nothing' | 'unconfirmed',
): HopWorld {
  const { run } = world;
  if (run === null) return world;
  const { id } = run;
  if (answer === 'made') return { ...hungUp(world, null), noted: null, saidMade: [...world.saidMade, id] };
  if (answer === 'unconfirmed') return hungUp(world, null);
  if (answer === 'refused' && run.handedOver > 1 && rules.refusalsAreClosed)
    return hungUp(world, { ...run, at: 'withdraw' });
  const said = saysNothing(world, id);
  return run.isOld ? withNewId(said, rules) : said;
}

// ── The senders ───────────────────────────────────────────────────────────────────────────────────

function handleMoves(world: HopWorld, rules: HopRules, one: Handled, at: number): readonly Move[] {
  const { id, sender } = one;
  const rest = { ...world, handled: world.handled.toSpliced(at, 1) };
  const goesOn = (more: Partial<HopWorld>, step: Handled['at']): HopWorld => ({
    ...world,
    ...more,
    handled: world.handled.with(at, { ...one, at: step }),
  });
  const ends = (answer: Parameters<typeof hears>[2], rows: readonly string[] = world.rows): HopWorld =>
    one.isHeard ? hears({ ...rest, rows }, rules, answer) : { ...rest, rows };
  const has = (what: string) => world.rows.includes(`${id} ${what}`);
  const add = (what: string) => [...world.rows, `${id} ${what}`];
  const move = (what: string, next: HopWorld): Move => ({
    name: `sender ${sender}, ${id}: ${what}`,
    world: next,
  });
  switch (one.at) {
    case 'look':
      if (has('sent')) return ended();
      return [
        has('closed') ? move('is closed', ends('refused')) : move('is not known', goesOn({}, 'record')),
      ];
    case 'record': {
      const isRefused = (rules.closedIsChecked && has('closed')) || (rules.idsAreUnique && has('sent'));
      if (isRefused) return [move('is not recorded', ends('refused'))];
      return [move('is recorded', goesOn({ rows: add('sent') }, 'post'))];
    }
    case 'post':
      return [
        move('is made', goesOn({ made: [...world.made, id] }, 'verdict')),
        move('is not sent in time', ends('nothing', add('not made'))),
      ];
    case 'verdict':
      return [move('is recorded as made', ends('made', add('made')))];
    case 'close': {
      // What is being sent at this sender ends first.
      if (world.handled.some((other) => other.sender === sender && other.id === id && other.what === 'over'))
        return [];
      if (has('sent')) return ended();
      if (!rules.closesAlone) return [move('is not known', goesOn({}, 'closing'))];
      return [move('is closed', ends('nothing', add('closed')))];
    }
    case 'closing':
      return [move('is closed', ends('nothing', add('closed')))];
  }

  // A sender that does not send it itself reads the order again: it may not show yet, and may be sent yet.
  function ended(): readonly Move[] {
    if (has('made')) return [move('was made', ends('made'))];
    if (has('not made')) return [move('was not made', ends('nothing'))];
    const unconfirmed = move('is unconfirmed', ends('unconfirmed'));
    const isSending = world.handled.some(
      (other) => other.id === id && ['post', 'verdict'].includes(other.at),
    );
    if (world.made.includes(id)) return [unconfirmed, move('shows', ends('made', add('made')))];
    return isSending ? [unconfirmed] : [unconfirmed, move('never arrived', ends('nothing', add('not made')))];
  }
}

function spend(world: HopWorld, what: keyof HopBudget): HopWorld {
  return { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };
}
