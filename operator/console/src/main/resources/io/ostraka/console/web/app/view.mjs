// A view of the server that stays current: it is read once, and then events change it, or it is read again.
import {signal, useEffect, useMemo} from './html.mjs';
import {listen, position, whenFollowed} from './live.mjs';

/** What an event handler returns to have the view read again. */
export const AGAIN = Symbol('again');

const REST_MILLIS = 1000;
const RETRY_MILLIS = 3000;

let marked = false;

/** The time of the first useful paint, for measurements: the first view has been drawn. */
function markFirstContent() {
  if (marked) return;
  marked = true;
  requestAnimationFrame(() => setTimeout(() => performance.mark('first-content')));
}

/**
 * Reads a view while the component is shown. Returns a signal of {value, problem, reading, since}; since is the position of the stream
 * before the read.
 *
 * key: the view is read again when it changes. read: returns a promise of the value. change: gets (value, event name, data), and
 * returns the new value, AGAIN to read the view again, or undefined if the event does not concern it. every: for a view of things whose
 * events the stream does not have, the milliseconds after which it is read again while the page is seen.
 */
export function useView(key, read, change = () => undefined, every = 0) {
  const view = useMemo(() => new View(), []);
  view.read = read;
  view.change = change;
  useEffect(() => view.start(), [key]);
  useEffect(() => {
    const poll = every > 0 ? setInterval(() => { if (!document.hidden) view.soon(); }, every) : undefined;
    return () => clearInterval(poll);
  }, [every]);
  return view.state;
}

const shown = new Set();

/** Reads all shown views again soon, for example after a command of this page: not every change has an event. */
export function readAgain() {
  for (const view of shown) view.soon();
}

class View {
  constructor() {
    this.state = signal({value: undefined, problem: null, reading: true});
    this.again = () => this.load();
  }

  start() {
    this.stopped = false;
    shown.add(this);
    this.generation = (this.generation ?? 0) + 1;
    this.loading = false;
    this.state.value = {...this.state.peek(), reading: true};
    this.begun = false;
    const stop = whenFollowed(() => this.load());
    const leave = listen((name, data) => this.event(name, data));
    return () => {
      this.stopped = true;
      stop();
      shown.delete(this);
      clearTimeout(this.timer);
      this.timer = undefined;
      leave();
    };
  }

  event(name, data) {
    if (name === 'hello' || name === 'reset') {
      if (this.begun) this.soon();
      return;
    }
    if (this.loading) this.missed.push([name, data]);
    const {value} = this.state.peek();
    if (value === undefined) return;
    const changed = this.change(value, name, data);
    if (changed === AGAIN) {
      this.soon();
    } else if (changed !== undefined) {
      this.state.value = {...this.state.peek(), value: changed, problem: null, reading: false};
    }
  }

  /** Reads soon; many events within a second cause one read. */
  soon(least = 0) {
    if (this.timer !== undefined || !this.begun) return;
    const wait = Math.max(least, REST_MILLIS - (Date.now() - (this.last ?? 0)));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.load();
    }, wait);
  }

  async load() {
    const generation = this.generation;
    const before = this.state.peek();
    this.last = Date.now();
    this.begun = true;
    this.loading = true;
    const since = position();
    this.missed = [];
    let next;
    try {
      let value = await this.read();
      for (const [name, data] of this.missed) {
        const changed = this.change(value, name, data);
        if (changed !== undefined && changed !== AGAIN) value = changed;
      }
      next = {value, problem: null, reading: false, since};
    } catch (problem) {
      next = {...before, problem, reading: false};
    }
    if (this.stopped || generation !== this.generation) return;
    this.loading = false;
    this.state.value = next;
    if (next.problem?.passes) this.soon(RETRY_MILLIS);
    if (next.value !== undefined) markFirstContent();
  }
}
