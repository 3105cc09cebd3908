// What ran, what did not, and what comes next: tabs of a job.
import {html, useState} from '../html.mjs';
import {at, get} from '../api.mjs';
import {CommandButton} from '../commands.mjs';
import {duration, instanceName, number} from '../format.mjs';
import {Ago, At, Copied, Empty, Link, Loaded, State, symbol, Table, tone} from '../ui.mjs';
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
  ${pages.problem && html`<span class="bad">${pages.problem.message}</span>`}</p>`;

/** The outcomes of a fire with their numbers. */
export const Outcomes = ({outcomes}) => html`<span class="outcomes">${Object.entries(outcomes).map(([outcome, count]) => html`<span class=${'state ' + tone(outcome)}
  title=${t('state.' + outcome)}><span aria-hidden="true">${symbol(outcome)}</span> ${number(count)} ${t('state.' + outcome)}</span> `)}</span>`;

const FAILED = ['FAILED', 'TIMED_OUT', 'CRASHED', 'LOST'];

export function Runs({namespace, job, role}) {
  const pages = usePages(namespace + job, at(namespace, 'history', 'jobs', job, 'runs'), 'runs');
  const longest = Math.max(1, ...pages.rows.map(lasted).filter(each => !Number.isNaN(each)));
  return html`<${Loaded} view=${pages.view}>${() => pages.rows.length === 0 ? html`<${Empty}>${t('text.noRuns')}</${Empty}>`
    : html`<${Table} label=${t('tab.runs')} heads=${['fire', 'outcomes', 'ran', 'requestedBy', 'actions'].map(each => t('field.' + each))}>
      ${pages.rows.map(run => html`<tr key=${run.runId + run.fireTime}>
        <td><${Link} to=${[namespace, 'jobs', job, 'runs', run.runId]} query=${{fireTime: run.fireTime}}><${At} at=${run.fireTime} /></${Link}></td>
        <td><${Outcomes} outcomes=${run.outcomes} /></td>
        <td class="length">${duration(lasted(run))}<span class="meter"><span class=${FAILED.some(each => run.outcomes[each]) ? 'bad' : 'ok'}
          style=${{width: 100 * (lasted(run) || 0) / longest + '%'}}></span></span></td>
        <td>${run.triggered ? html`${run.trigger?.requestedBy ?? t('text.triggered')}${run.trigger?.reason && html`: <q>${run.trigger.reason}</q>`}` : t('text.scheduled')}</td>
        <td class="actions">${FAILED.some(each => run.outcomes[each]) && html`<${CommandButton} name="rerun-items" namespace=${namespace} job=${job} role=${role}
          values=${{runId: run.runId}} small />`}</td></tr>`)}</${Table}><${More} pages=${pages} />`}</${Loaded}>`;
}

const lasted = run => Date.parse(run.lastEnd) - Date.parse(run.firstStart);

export function LeftOut({namespace, job}) {
  const pages = usePages(namespace + job, at(namespace, 'history', 'jobs', job, 'left-out'), 'leftOut');
  return html`<p class="hint">${t('text.leftOut')}</p>
    <${Loaded} view=${pages.view}>${() => pages.rows.length === 0 ? html`<${Empty}>${t('text.noLeftOut')}</${Empty}>`
    : html`<${Table} label=${t('tab.leftOut')} heads=${['item', 'fires', 'reason', 'decided', 'instance'].map(each => t('field.' + each))}>
      ${pages.rows.map(row => html`<tr><td>${row.item}</td><td><${At} at=${row.from} />${row.from !== row.to && html` – <${At} at=${row.to} />`}
        ${row.count > 1 && ` (${number(row.count)})`}</td><td>${t('skip.' + row.reason)}</td><td><${Ago} at=${row.at} /></td><td>${instanceName(row.instance)}</td></tr>`)}
      </${Table}><${More} pages=${pages} />`}</${Loaded}>`;
}

export function NextFires({namespace, job, value}) {
  const fires = useView(namespace + job + value.version, () => get(at(namespace, 'jobs', job, 'next-fires'), {count: 25}));
  return html`<${Loaded} view=${fires}>${answer => answer.fires.length === 0 ? html`<${Empty}>${t('text.noFires')}</${Empty}>`
    : html`<ol class="fires">${answer.fires.map(fire => html`<li><${At} at=${fire} short=${false} /> <small><${Ago} at=${fire} /></small></li>`)}</ol>`}</${Loaded}>`;
}

/** Manual triggers that wait, and the backfill. */
export function Triggers({namespace, job, role, value}) {
  const backfills = useView(namespace + job, () => get(at(namespace, 'backfills')),
    (current, name, data) => ['activity', 'job'].includes(name) && data.job === job ? AGAIN : undefined);
  const backfill = backfills.value.value?.backfills.find(each => each.job === job);
  return html`<h2>${t('title.triggers')}</h2>
    ${value.triggers.length === 0 ? html`<${Empty}>${t('text.noTriggers')}</${Empty}>`
    : html`<${Table} label=${t('title.triggers')} heads=${['runId', 'due', 'items', 'left', 'actions'].map(each => t('field.' + each))}>
      ${value.triggers.map(each => html`<tr><td><${Copied} text=${each.runId} /></td><td><${Ago} at=${each.due ?? each.created} /></td>
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
