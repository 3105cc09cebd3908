// What ran, what did not, and what comes next: tabs of a job.
import {html, useState} from '../html.mjs';
import {at, get} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {duration, firesAfterRuns, instanceName, number, words} from '../format.mjs';
import {Ago, At, Copied, Empty, freeze, Frozen, jobState, Link, Loaded, Skip, State, symbol, Table, tone, zoneText} from '../ui.mjs';
import {t} from '../texts.mjs';
import {AGAIN, useView} from '../view.mjs';

const PAGE = 50;
const FRESH_MILLIS = 5000;

/** A list of the history whose further pages are appended on demand. */
export function usePages(key, path, name, query = {}) {
  const [more, setMore] = useState({key, rows: [], next: undefined, problem: null});
  const grown = more.key === key && more.rows.length > 0; // a new first page would not fit to the pages after it
  const view = useView(key, () => get(path, {...query, limit: PAGE}), undefined, grown ? 0 : FRESH_MILLIS);
  const first = view.value.value;
  const extra = more.key === key && more.first === first ? more : {rows: [], next: first?.next, problem: null};
  const load = async () => {
    try {
      const page = await get(path, {...query, limit: PAGE, after: extra.next});
      setMore({key, first, rows: [...extra.rows, ...page[name]], next: page.next, problem: null});
    } catch (problem) {
      setMore({...extra, key, first, problem});
    }
  };
  return {view, rows: [...(first?.[name] ?? []), ...extra.rows], next: extra.next, problem: extra.problem, load};
}

export const More = ({pages}) => pages.next && html`<p class="pages"><button type="button" onClick=${pages.load}>${t('action.older')}</button>
  ${pages.problem && html`<span class="bad">${words(pages.problem.message)}</span>`}</p>`;

const MOST_ITEMS = 1000;

const sum = outcomes => Object.values(outcomes).reduce((a, b) => a + b, 0);

/** Whether each fire of a job has a row for each of its items. */
export const hasAllItems = ({fields, summary}) => fields.find(each => each.field === 'history')?.effective === 'ALL' && !firesAfterRuns(summary.schedule);

/** Number of items that a scheduled run has no outcome of. A manual trigger may be for some items only. */
const absent = run => run.triggered ? 0 : Math.max(0, run.shardingTotalCount - sum(run.outcomes));

/**
 * The outcomes of a fire, each item by its last attempt, and the items without one.
 *
 * items: undefined if no item can be missing. disabled: the latest change of the disabled items, if there is one.
 */
export function Outcomes({namespace, job, run, items, disabled}) {
  const missing = items === undefined ? 0 : absent(run);
  const again = run.claims - sum(run.outcomes);
  return html`<span class="outcomes">${missing > 0 && html`<${Missing} namespace=${namespace} job=${job} run=${run} items=${items} disabled=${disabled} missing=${missing} />`}
    ${Object.entries(run.outcomes).map(([outcome, count]) => html`<span class=${'state ' + (missing > 0 && tone(outcome) === 'ok' ? 'idle' : tone(outcome))}
      title=${t('state.' + outcome)}><span aria-hidden="true">${symbol(outcome)}</span> ${number(count)} ${t('state.' + outcome)}</span> `)}
    ${again > 0 && html`<small>${t('text.earlier', {count: again})}</small>`}</span>`;
}

/** Why an item has not run a fire yet. An item that was disabled after the fire did not start it for another reason. */
const held = (item, run, disabled) => item.disabled && !(Date.parse(disabled?.at) > Date.parse(run.fireTime)) ? 'DISABLED'
  : item.state === 'IDLE' ? 'WAITING' : item.state;

/** How many items have run, and what is known of the others. An item that has run or skipped only earlier fires has not run this one. */
function Missing({namespace, job, run, items, disabled, missing}) {
  const running = items.filter(each => each.run?.runId === run.runId && each.run.endedAt === undefined).length;
  const behind = items.filter(each => each.run?.runId !== run.runId && !(Date.parse(each.decidedUpTo) >= Date.parse(run.fireTime)));
  const known = behind.length > 0 && behind.length + running <= missing;
  return html`<span class=${'state ' + (running === missing ? 'run' : 'hold')}>${t('text.itemsOf', {number: number(run.shardingTotalCount - missing), total: number(run.shardingTotalCount)})}</span>${' '}
    ${running > 0 && html`<${State} state="RUNNING" text=${t('text.running', {count: running})} /> `}
    ${known && behind.slice(0, 5).map(each => html`<${Link} to=${[namespace, 'jobs', job]} query=${{item: each.item}}>${t('title.item', {name: each.item})}</${Link}> ${
      html`<${State} state=${held(each, run, disabled)} text=${held(each, run, disabled) === 'RUNNING' ? t('text.busy') : undefined} />`} `)}
    ${known && behind.length > 5 && html`<${Link} to=${[namespace, 'jobs', job]}>${t('text.more', {count: behind.length - 5})}</${Link}> `}
    ${!known && missing > running && html`<${Link} to=${[namespace, 'jobs', job]} query=${{tab: 'account'}}>${t('text.notYet', {count: missing - running})}</${Link}> `}`;
}

const FAILED = ['FAILED', 'TIMED_OUT', 'CRASHED', 'LOST'];

export function Runs({namespace, job, role, value}) {
  const pages = usePages(namespace + job, at(namespace, 'history', 'jobs', job, 'runs'), 'runs');
  const whole = hasAllItems(value);
  const gaps = whole && pages.rows.some(run => absent(run) > 0);
  const items = useView(namespace + job + gaps, () => gaps ? get(at(namespace, 'jobs', job, 'items'), {limit: MOST_ITEMS}) : Promise.resolve({items: []}),
    undefined, gaps ? FRESH_MILLIS : 0);
  const known = whole ? items.value.value?.items ?? [] : undefined;
  const color = run => FAILED.some(each => run.outcomes[each]) ? 'bad' : whole && absent(run) > 0 ? 'hold' : 'ok';
  const longest = Math.max(1, ...pages.rows.map(lasted).filter(each => !Number.isNaN(each)));
  return html`${firesAfterRuns(value.summary.schedule) && value.summary.items > 1 && html`<p class="hint">${t('text.firesByItem')}</p>`}
    <${Loaded} view=${pages.view}>${() => pages.rows.length === 0 ? html`<${Empty}>${t('text.noRuns')}</${Empty}>`
    : html`<${Table} label=${t('tab.runs')} heads=${['fire', 'outcomes', 'ran', 'requestedBy', 'actions'].map(each => t('field.' + each))}>
      ${pages.rows.map(run => html`<tr key=${run.runId + run.fireTime}>
        <td><${Link} to=${[namespace, 'jobs', job, 'runs', run.runId]} query=${{fireTime: run.fireTime}}><${At} at=${run.fireTime} /></${Link}>
          ${run.item !== undefined && run.shardingTotalCount > 1 && (run.triggered || !whole) && html` <small>${t('title.item', {name: run.item})}</small>`}</td>
        <td><${Outcomes} namespace=${namespace} job=${job} run=${run} items=${known} disabled=${value.changes.disabledItems} /></td>
        <td class="length">${duration(lasted(run))}<span class="meter"><span class=${color(run)}
          style=${{width: 100 * (lasted(run) || 0) / longest + '%'}}></span></span></td>
        <td>${run.triggered ? html`${run.trigger?.requestedBy ?? t('text.triggered')}${run.trigger?.reason && html`: <q>${words(run.trigger.reason)}</q>`}` : t('text.scheduled')}</td>
        <td class="actions">${FAILED.some(each => run.outcomes[each]) && html`<${CommandButton} name="rerun-items" namespace=${namespace} job=${job} role=${role}
          values=${{runId: run.runId}} small />`}</td></tr>`)}</${Table}><${More} pages=${pages} />`}</${Loaded}>`;
}

const lasted = run => Date.parse(run.lastEnd) - Date.parse(run.firstStart);

export function Skipped({namespace, job}) {
  const pages = usePages(namespace + job, at(namespace, 'history', 'jobs', job, 'skipped'), 'skipped');
  return html`<p class="hint">${t('text.skipped')}</p>
    <${Loaded} view=${pages.view}>${() => pages.rows.length === 0 ? html`<${Empty}>${t('text.noSkipped')}</${Empty}>`
    : html`<${Table} label=${t('tab.skipped')} heads=${['item', 'fires', 'reason', 'decided', 'instance'].map(each => t('field.' + each))}>
      ${pages.rows.map(row => html`<tr><td>${row.item}</td><td><${At} at=${row.from} />${row.from !== row.to && html` – <${At} at=${row.to} />`}
        ${row.count > 1 && ` (${number(row.count)})`}</td><td><${Skip} ...${row} />
          ${row.reason === 'MISFIRED' && !row.cause && html` <${Link} to=${[namespace, 'jobs', job]} query=${{tab: 'events'}}>${t('action.events')}</${Link}>`}</td><td><${Ago} at=${row.at} /></td><td>${instanceName(row.instance)}</td></tr>`)}
      </${Table}><${More} pages=${pages} />`}</${Loaded}>`;
}

export function NextFires({namespace, job, value}) {
  const state = jobState(value.summary);
  const fires = useView(namespace + job + value.version, () => get(at(namespace, 'jobs', job, 'next-fires'), {count: 25}));
  return html`<${Loaded} view=${fires}>${answer => answer.fires.length === 0 ? html`<${Empty}>${t('text.noFires')}</${Empty}>`
    : html`${state === 'FROZEN' ? html`<p><${Frozen} /></p>` : state !== 'ACTIVE' && html`<p><${State} state=${state} /></p>`}<p class="hint">${zoneText()}</p>
      <ol class="fires">${answer.fires.map(fire => html`<li><${At} at=${fire} short=${false} />${state === 'ACTIVE' && html` <small><${Ago} at=${fire} /></small>`}</li>`)}</ol>`}</${Loaded}>`;
}

/** Manual triggers that wait, and the backfill. */
export function Triggers({namespace, job, role, value}) {
  const backfills = useView(namespace + job, () => get(at(namespace, 'backfills')),
    (current, name, data) => ['activity', 'job'].includes(name) && data.job === job ? AGAIN : undefined);
  const backfill = backfills.value.value?.backfills.find(each => each.job === job);
  return html`<h2>${t('title.triggers')}</h2>
    ${value.triggers.length === 0 ? html`<${Empty}>${t('text.noTriggers')}</${Empty}>`
    : html`<${Table} label=${t('title.triggers')} heads=${['runId', 'due', 'items', 'left', 'actions'].map(each => t('field.' + each))}>
      ${value.triggers.map(each => html`<tr><td><${Copied} text=${each.runId} /></td><td>${freeze.value && each.due ? html`<${At} at=${each.due} /> <${Frozen} />` : html`<${Ago} at=${each.due ?? each.created} />`}</td>
        <td>${each.items.length === 0 ? t('text.all') : each.items.join(', ')}</td><td>${each.left ?? ''}</td>
        <td class="actions">${each.due && html`<${CommandButton} name="cancel-trigger" namespace=${namespace} job=${job} role=${role} values=${{runId: each.runId}} small />`}
          ${!each.due && html`<${CommandButton} name="stop-fire" namespace=${namespace} job=${job} role=${role} values=${{runId: each.runId}} small />`}</td></tr>`)}</${Table}>`}
    <h2>${t('title.backfill')}</h2>
    ${backfill === undefined ? html`<${Empty}>${t('text.noBackfill')}</${Empty}>` : html`<${Backfill} namespace=${namespace} job=${job} role=${role} backfill=${backfill} />`}`;
}

function Backfill({namespace, job, role, backfill}) {
  const common = {namespace, job, role, small: true};
  return html`<p><${State} state=${backfill.state} /> <${At} at=${backfill.first} short=${false} /> – <${At} at=${backfill.end} short=${false} /></p>
    <dl class="facts">${['fires', 'triggered', 'succeeded', 'failed', 'unknown'].map(each => html`<div><dt>${t('field.' + each)}</dt><dd>${number(backfill[each])}</dd></div>`)}</dl>
    ${backfill.failedDates.length > 0 && html`<p class="bad">${t('field.failed')}: ${backfill.failedDates.map(each => html`<${At} at=${each} short=${false} /> `)}</p>`}
    <p class="actions">${backfill.state === 'RUNNING' && html`<${CommandButton} name="stop-backfill" ...${common} />`}
      ${['STOPPED', 'FAILED'].includes(backfill.state) && html`<${CommandButton} name="resume-backfill" ...${common} />`}</p>`;
}
