// Parts that several screens use.
import {html, plain, signal, useEffect, useRef} from './html.mjs';
import {coarse, firesAfterRuns, INSTANCE_ID, instanceName, nextAfterRun, now, relative, sentence, time, utc, words, zone, zoned} from './format.mjs';
import {href} from './router.mjs';
import {t} from './texts.mjs';

/** Symbol and class of each state, so that no state is told by its colour alone. */
const TONES = {
  ACTIVE: ['ok', '●'], WORKING: ['ok', '●'], SUCCEEDED: ['ok', '✓'], RUN: ['ok', '✓'], IDLE: ['idle', '○'], ENDED: ['ok', '✓'],
  RUNNING: ['run', '▶'], OPEN: ['run', '▶'], CHANGING: ['run', '↻'], STARTING: ['run', '↻'], WAITING: ['idle', '…'],
  PAUSED: ['hold', '‖'], DRAINING: ['hold', '⇥'], DISABLED: ['hold', '‖'], SKIPPED: ['hold', '↷'],
  CANCELLED: ['hold', '■'], STOPPED: ['hold', '■'], SUSPENDED: ['hold', '‖'], UNPLANNED: ['hold', '○'], REMOVED: ['idle', '⌫'],
  FROZEN: ['hold', '✱'], SILENCED: ['idle', '⊘'], STUCK: ['bad', '▲'], FAULTY: ['bad', '▲'], INTERRUPTED: ['bad', '↯'],
  FAILED: ['bad', '✕'], TIMED_OUT: ['bad', '◷'], CRASHED: ['bad', '✕'], LOST: ['bad', '?'], QUARANTINED: ['bad', '⊘'],
  UNREADABLE: ['bad', '?'], UNKNOWN: ['bad', '?'], DEAD: ['bad', '✕'], UNHOSTED: ['bad', '✕'], FIRING: ['bad', '▲'], RESOLVED: ['ok', '✓'],
};

export const tone = state => TONES[state]?.[0] ?? 'idle';
export const symbol = state => TONES[state]?.[1] ?? '○';

/** A state with its symbol. */
export function State({state, text}) {
  return html`<span class=${'state ' + tone(state)}><span aria-hidden="true">${symbol(state)}</span> ${text ?? t('state.' + state)}</span>`;
}

/** A time relative to the present, with the absolute time as its title. */
export function Ago({at}) {
  if (!at) return html`<span class="none">–</span>`;
  return html`<time dateTime=${at} title=${zoned(at)}>${relative(at)}</time>`;
}

/** An absolute time, with the relative one as its title. */
export function At({at, short = true}) {
  if (!at) return html`<span class="none">–</span>`;
  return html`<time dateTime=${at} title=${zoned(at)}>${time(at, {short})}</time>`;
}

/** The command that has frozen the shown namespace, or null. */
export const freeze = signal(null);

/** Keeps the freeze of a namespace from its details. */
export const useFreeze = details => useEffect(() => { freeze.value = details?.frozen ?? null; }, [details]);

/** Whether no instance hosts a job or owns its items, so that its fires wait. */
export const isUnhosted = job => job.items > 0 && Object.keys(job.owners).length === 0 || job.health.some(each => ['NO_HOST', 'NO_INSTANCE'].includes(each.reason.kind));

/** The state of a job as the pages show it: an active job starts nothing if the namespace is frozen or no instance hosts the job. */
export function jobState(job) {
  if (job.state !== 'ACTIVE') return job.state;
  return freeze.value !== null ? 'FROZEN' : isUnhosted(job) ? 'UNHOSTED' : 'ACTIVE';
}

/** That the namespace is frozen, and until when. */
export function Frozen() {
  const {until} = freeze.value;
  return html`<span class="state hold"><span aria-hidden="true">${symbol('FROZEN')}</span> ${t('state.FROZEN')}${until && html` ${t('text.until')} <${At} at=${until} />`}</span>`;
}

/** The next fire of a job. A time that has just passed is due; the next view has a later one. */
export function Due({job}) {
  const {nextFire: at, schedule} = job;
  const state = jobState(job);
  if (state === 'FROZEN') return html`<${Frozen} />`;
  if (!at && state === 'ACTIVE' && firesAfterRuns(schedule)) return html`<span class="after">${nextAfterRun(schedule)}</span>`;
  if (!at || state !== 'ACTIVE') return html`<span class="none">–</span>`;
  return html`<time dateTime=${at} title=${zoned(at)}>${Date.parse(at) <= now.value ? t('time.due') : relative(at)}</time>`;
}

/** A sentence of the server, with times and lengths as the pages show them, and names of instances that have their ids as titles. */
export const Words = ({text}) => String(text ?? '').split(INSTANCE_ID).map((part, index) =>
  index % 2 === 1 ? html`<span title=${part}>${instanceName(part)}</span>` : plain(sentence(part)));

/** The time zone in which the times of a screen or of a dialog are. */
export const zoneText = () => t(utc.value ? 'text.utc' : 'text.zone', {zone: zone()});

/** How long something has lasted. */
export function Since({at}) {
  return html`<time dateTime=${at} title=${zoned(at)}>${coarse(Math.max(0, now.value - Date.parse(at)))}</time>`;
}

/** Who made a change, when and why, and until when it holds. */
export function Changed({change}) {
  return html`<p>${t('text.changed', {by: change.by || t('text.unnamed')})} <${Ago} at=${change.at} />${change.reason && html`: <q>${words(change.reason)}</q>`}
    ${change.until && html` · ${t('text.until')} <${At} at=${change.until} />`}</p>`;
}

/** Why fires were skipped: the pause or freeze that the server knows of, or else the reason of the item. */
export const Skip = ({reason, cause}) => cause === undefined ? t('skip.' + reason)
  : html`${t('skip.' + cause.state)} (<${At} at=${cause.from} /> – ${cause.to ? html`<${At} at=${cause.to} />` : '…'}). ${t('text.changed', {by: cause.by || t('text.unnamed')})}${cause.reason && html`: <q>${words(cause.reason)}</q>`}`;

export function Link({to, query, children, ...rest}) {
  return html`<a href=${href(to, query)} ...${rest}>${children}</a>`;
}

const RETRY_MILLIS = 3000;

/** What went wrong, in the words of the server, and a way on. A failure that may pass is tried again by itself. */
export function ProblemBox({problem, again}) {
  useEffect(() => {
    if (!again || !problem?.passes) return undefined;
    const timer = setTimeout(again, RETRY_MILLIS);
    return () => clearTimeout(timer);
  }, [problem]);
  if (!problem) return null;
  const text = problem.code === 'UNREACHABLE' ? t('problem.unreachable') : problem.message || String(problem);
  return html`<div class="notice bad" role="alert"><p>${words(text)}</p>
    ${again && html`<button type="button" onClick=${again}>${t('action.again')}</button>`}</div>`;
}

/** The content of a view: its value, a first wait, or a problem above the last known value. */
export function Loaded({view, again, children}) {
  const {value, problem} = view.value;
  if (value === undefined) {
    return problem ? html`<${ProblemBox} problem=${problem} again=${again} />` : html`<${Waiting} />`;
  }
  return html`<${ProblemBox} problem=${problem} again=${again} />${children(value)}`;
}

export const Waiting = () => html`<p class="waiting" aria-busy="true">${t('state.reading')}</p>`;

export const Empty = ({children}) => html`<p class="empty">${children}</p>`;

/** A table. On narrow screens each row becomes a card, whose lines have the heads of the columns in front of them. */
export function Table({label, heads, children, compact}) {
  const body = useRef(null);
  useEffect(() => {
    for (const row of body.current.rows) {
      for (const cell of row.cells) {
        const head = heads[cell.cellIndex] ?? '';
        if (cell.dataset.head !== head) cell.dataset.head = head;
      }
    }
  });
  return html`<div class="frame" tabindex="0" role="region" aria-label=${label}><table class=${'stacked' + (compact ? ' compact' : '')}>
    <thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody ref=${body}>${children}</tbody></table></div>`;
}

/** Tabs as links, so that the address holds the open one. */
export function Tabs({label, tabs, current}) {
  return html`<nav class="tabs" aria-label=${label}>${tabs.map(([name, text, address]) =>
    html`<a href=${address} aria-current=${name === current ? 'page' : undefined}>${text}</a>`)}</nav>`;
}

export function Field({label, hint, children}) {
  return html`<label class="field"><span>${label}</span>${children}${hint && html`<small>${hint}</small>`}</label>`;
}

/** Gives the focus back to an element, or to the button of the closed menu that has it; to the content if the element is gone. */
function focusAgain(element) {
  (element?.closest('details.menu:not([open])')?.querySelector('summary') ?? element)?.focus();
  if (!element?.isConnected || document.activeElement === document.body) document.getElementById('content')?.focus();
}

/** A dialog in the browser's top layer; Escape closes it, and the focus returns to the button that opened it. */
export function Dialog({title, close, children, wide}) {
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current.showModal();
    element.current.querySelector('form :is(input, select, textarea):not([type="checkbox"], [type="radio"])')?.focus();
    return () => focusAgain(before);
  }, []);
  // A search field keeps the first Escape for itself, and a browser closes a dialog by itself at the second one.
  const escape = event => {
    if (event.key === 'Escape' || event.type === 'cancel') {
      event.preventDefault();
      close();
    }
  };
  return html`<dialog ref=${element} class=${wide ? 'wide' : ''} aria-label=${title} onKeyDown=${escape} onCancel=${escape} onClose=${close}>
    <div class="head"><h2>${title}</h2>
      <button type="button" class="plain" aria-label=${t('action.close')} onClick=${close}>✕</button></div>
    ${children}</dialog>`;
}

/** A panel beside the content; the focus returns to the element that opened it, or to the one that the selector names. */
export function Panel({title, heading, close, opener, children}) {
  const element = useRef(null);
  useEffect(() => {
    const panel = element.current;
    const before = document.activeElement;
    return () => {
      if (panel.contains(document.activeElement) || document.activeElement === document.body) focusAgain(before?.matches(opener) ? before : document.querySelector(opener));
    };
  }, []);
  return html`<aside ref=${element} class="panel" aria-label=${title}><header><h2>${heading}</h2>
    <button type="button" class="plain close" aria-label=${t('action.close')} onClick=${close}>✕</button></header>${children}</aside>`;
}

/** Escape closes an open menu, or else the panel; a dialog handles the key itself. */
addEventListener('keydown', event => {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  const menu = [...document.querySelectorAll('details.menu[open]')].at(-1);
  if (menu) {
    menu.open = false;
    menu.querySelector('summary').focus();
  } else {
    document.querySelector('.panel .close')?.click();
  }
});

/** The open dialog, as a function that draws it, or null. */
export const dialog = signal(null);

export function openDialog(draw) {
  dialog.value = draw;
  setTimeout(() => closeMenus()); // after the dialog has remembered the button
}
export const closeMenus = () => { for (const each of document.querySelectorAll('details.menu[open]')) each.open = false; };
export const closeDialog = () => { dialog.value = null; };

/** Short messages about what was done, newest last. */
export const messages = signal([]);

export function say(text, kind = 'ok') {
  const message = {text: words(text), kind, id: Math.random()};
  messages.value = [...messages.value, message].slice(-3);
  setTimeout(() => { messages.value = messages.value.filter(each => each !== message); }, 8000);
}

/** Copies a text to the clipboard on a click; shows the whole text as its title. */
export function Copied({text, shown}) {
  return html`<button type="button" class="plain copy" title=${t('action.copy', {text})} onClick=${async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(t('said.copied'));
    } catch (e) {
      say(text, 'hold'); // no permission, so the text can be selected from the message
    }
  }}>${shown ?? words(text)}</button>`;
}
