/** The time of one request: a signal that ends it, by its deadline or because the run stops. */

/** A deadline that runs. */
export interface Deadline {
  /** Aborted by the deadline, or with the run's own signal and its reason. */
  readonly signal: AbortSignal;
  /** The time is over. */
  readonly passed: boolean;
  /** Settles as the work does, or rejects once the signal is aborted: an in-process transport may not look at it. */
  over<T>(work: Promise<T>): Promise<T>;
  /** Call it when the request has ended, however that was. */
  end(): void;
}

/** Starts one; `signal` is that of the run. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error('deadline')), timeoutMs);
  const either = AbortSignal.any([deadline.signal, ...(signal === undefined ? [] : [signal])]);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(either.reason);
  either.addEventListener('abort', onAbort);
  if (either.aborted) onAbort();
  return {
    signal: either,
    get passed() {
      return deadline.signal.aborted;
    },
    over: (work) => Promise.race([work, aborted]),
    end() {
      clearTimeout(timer);
      either.removeEventListener('abort', onAbort);
    },
  };
}
