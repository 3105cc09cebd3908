// Live events. All tabs of a browser share one stream for each namespace, because a browser opens at most six connections to a server
// over HTTP/1.1. The tab that holds the lock reads the stream, and passes each event to the others.
import {signal, useEffect} from './html.mjs';
import {eventsAddress, loadSession, session} from './api.mjs';

const EVENTS = ['hello', 'reset', 'job', 'job-removed', 'alarm', 'alarm-removed', 'instance', 'instance-removed', 'namespace', 'items',
  'activity', 'activity-removed', 'unavailable', 'available'];
const MOST_FOLLOWED = 5;
const MOST_SHOWN = 100;
const HIDDEN_MILLIS = 30_000;
/** A read that waits for the stream begins after this time in any case. */
const GREETING_MILLIS = 1000;
/** Number of event ids from which a stream can continue. */
const MOST_IDS = 500;
/** A name that no job has: without any name, the stream would have the events of all jobs. */
const NO_JOB = 'no-job-is-shown';

/** Number of all events that this tab has received; tests measure it. */
export const received = {events: 0};

/** State of the connection: connecting, live, unavailable (with a text) or lost. */
export const connection = signal({state: 'connecting'});

const listeners = new Set();
const waiting = new Set();
const tab = Math.random().toString(36).slice(2);
let current = null;

/** Calls a function for each event (name, data) until the returned function is called. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Calls a function once the stream covers what this tab follows, because a read before that would have to be repeated: it may miss the
 * changes between the read and the beginning of the stream. Returns a function that takes the call back.
 */
export function whenFollowed(read) {
  const stop = () => { clearTimeout(timer); waiting.delete(start); };
  const start = () => { stop(); read(); };
  const timer = setTimeout(start, GREETING_MILLIS);
  waiting.add(start);
  queueMicrotask(() => { if (waiting.has(start) && (current === null || current.greeted)) start(); }); // after the effects of the screen
  return stop;
}

/** The id of the latest event, after which a stream continues without a gap for a view that is read from now on. */
export const position = () => current?.ids.at(-1);

function greeted() {
  if (current !== null) current.greeted = true;
  for (const start of [...waiting]) start();
}

function publish(name, data) {
  received.events++;
  if (name === 'unavailable') {
    connection.value = {state: 'unavailable', text: data.text};
  } else if (name === 'lost') {
    connection.value = {state: 'lost'};
  } else if (connection.peek().state !== 'live') {
    connection.value = {state: 'live'};
  }
  for (const listener of [...listeners]) listener(name, data);
  if (['hello', 'reset'].includes(name)) {
    greeted();
  } else if (['unavailable', 'lost'].includes(name)) {
    for (const start of [...waiting]) start(); // shows the problem; the greeting causes another read
  }
}

/**
 * Follows a namespace: the items of some jobs, and the state of the jobs on the screen. A later call replaces the earlier one; a
 * namespace of null follows nothing.
 *
 * since: the position before the read from which the jobs on the screen come; no later event about them may be missed
 */
export function follow(namespace, {items = [], shown = [], since} = {}) {
  if (current !== null && current.namespace !== namespace) {
    current.close();
    current = null;
  }
  if (namespace === null) return;
  if (current === null) current = new SharedStream(namespace);
  current.follow({items: items.slice(0, MOST_FOLLOWED), shown: shown.slice(0, MOST_SHOWN), since});
}

/** Follows the jobs of a screen while it is shown. */
export function useFollow(namespace, {items = [], shown = [], since} = {}) {
  const key = [...items, '', ...shown].join(' ');
  useEffect(() => follow(namespace, {items, shown, since}), [namespace, key]);
}

/** The stream of one namespace, as one tab sees it. */
class SharedStream {
  constructor(namespace) {
    this.namespace = namespace;
    this.own = {items: [], shown: []};
    this.others = new Map();
    this.ids = [];
    this.items = [];
    this.greeted = false;
    this.reads = false;
    this.release = () => {};
    this.abort = new AbortController();
    this.channel = new BroadcastChannel('ostraka ' + namespace);
    this.channel.onmessage = message => this.receive(message.data);
    this.whenVisible = () => this.visibility();
    document.addEventListener('visibilitychange', this.whenVisible);
    this.join();
  }

  /** Waits for the lock, in the background. Without locks (plain HTTP to another machine), each tab reads a stream of its own. */
  join() {
    if (navigator.locks === undefined) {
      this.reads = true;
      return;
    }
    navigator.locks.request('ostraka ' + this.namespace, {signal: this.abort.signal}, () => new Promise(resolve => {
      this.release = resolve;
      this.reads = true;
      this.channel.postMessage({kind: 'who'});
      this.open();
    })).catch(() => {}); // given up before the lock was free
  }

  follow(own) {
    if (!this.reads && own.items.some(each => !this.own.items.includes(each))) this.greeted = false;
    this.own = own;
    this.tell();
    if (this.reads) this.open();
  }

  tell() {
    this.channel.postMessage({kind: 'follow', tab, wanted: this.own});
  }

  receive(message) {
    if (message.kind === 'event' && !this.reads) {
      this.remember(message.id);
      publish(message.name, message.data);
    } else if (message.kind === 'followed' && message.tab === tab) {
      greeted();
    } else if (message.kind === 'who') {
      this.tell();
    } else if (message.kind === 'follow' && message.tab !== tab) {
      this.others.set(message.tab, message.wanted);
      if (this.reads) this.open();
      if (this.reads && this.greeted) this.channel.postMessage({kind: 'followed', tab: message.tab});
    } else if (message.kind === 'left') {
      this.others.delete(message.tab);
    }
  }

  /** The jobs of this tab first, because a stream follows only a few. */
  wanted(kind, most) {
    return [...new Set([this.own, ...this.others.values()].flatMap(each => each[kind]))].slice(0, most).sort();
  }

  open() {
    const items = this.wanted('items', MOST_FOLLOWED);
    const shown = this.wanted('shown', MOST_SHOWN);
    const address = eventsAddress(this.namespace, items, shown.length === 0 ? [NO_JOB] : shown);
    if (this.address === address && this.source !== undefined && this.source.readyState !== EventSource.CLOSED) return;
    const since = this.greeted && items.every(each => this.items.includes(each)) ? this.earliest() : undefined;
    this.source?.close();
    this.address = address;
    this.items = items;
    this.greeted = since !== undefined;
    this.source = new EventSource(since === undefined ? address : address + '&lastEventId=' + encodeURIComponent(since));
    for (const name of EVENTS) {
      this.source.addEventListener(name, event => this.pass(name, JSON.parse(event.data), event.lastEventId));
    }
    this.source.onerror = () => this.failed();
  }

  /** The position from which a stream misses no event about the shown jobs of any tab; undefined if it is not known any more. */
  earliest() {
    const tabs = [this.own, ...this.others.values()];
    const indexes = [this.ids.at(-1), ...tabs.map(each => each.since).filter(each => each !== undefined)].map(each => this.ids.indexOf(each));
    for (const each of tabs) each.since = undefined;
    return this.ids[Math.min(...indexes)];
  }

  remember(id) {
    if (id && id !== this.ids.at(-1)) this.ids = [...this.ids, id].slice(-MOST_IDS);
  }

  pass(name, data, id) {
    this.remember(id);
    this.channel.postMessage({kind: 'event', name, data, id});
    publish(name, data);
  }

  /**
   * The browser connects again by itself, except after an answer that is not a stream, such as 401 or 429. It does not tell the status, so
   * another request finds out if the session has ended.
   */
  failed() {
    this.pass('lost', {});
    if (this.source.readyState === EventSource.CLOSED) {
      loadSession().catch(() => {}); // the next try comes below
      clearTimeout(this.retry);
      this.retry = setTimeout(() => {
        if (this.reads && session.peek()) {
          this.source = undefined;
          this.open();
        }
      }, 5000 + Math.random() * 5000);
    }
  }

  /** A tab that nobody sees for a while gives up the stream, and reads everything again when it is seen. */
  visibility() {
    clearTimeout(this.hiding);
    if (document.hidden) {
      this.hiding = setTimeout(() => { this.leave(); this.left = true; }, HIDDEN_MILLIS);
    } else if (this.left) {
      this.left = false;
      this.abort = new AbortController();
      this.tell();
      this.join();
      if (this.reads) this.open();
      whenFollowed(() => publish('reset', {})); // without a stream of its own, the tab gets no greeting
    }
  }

  leave() {
    this.abort.abort();
    this.source?.close();
    this.source = undefined;
    this.reads = false;
    this.greeted = false;
    this.release();
    this.channel.postMessage({kind: 'left', tab});
  }

  close() {
    clearTimeout(this.hiding);
    clearTimeout(this.retry);
    document.removeEventListener('visibilitychange', this.whenVisible);
    this.leave();
    this.channel.close();
  }
}

addEventListener('pagehide', () => { current?.close(); current = null; });
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
